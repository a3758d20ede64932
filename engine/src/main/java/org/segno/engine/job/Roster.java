package org.segno.engine.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/**
 * State of each rank of a job: its progress, its process, and the reason that ends the waits of the others.
 *
 * <p>A rank only moves forward. The hub and every membership have a roster each, which only their own thread changes.
 * Any thread may read it and wait for a change.
 */
final class Roster {
    /** The progress of a rank, in this order. */
    enum State {
        ABSENT,
        WELCOME,
        MADE,
        MAPPED,
        LEFT,
        DEAD
    }

    private static final int NAMED_LIMIT = 16;

    private final State[] states;
    private final long[] processes;
    private final Map<Integer, Supplier<SegnoException>> obstacles = new HashMap<>();
    private @Nullable Supplier<SegnoException> failure;
    private boolean going;
    private String rejected = "";

    Roster(int size) {
        states = new State[size];
        processes = new long[size];
        Arrays.fill(states, State.ABSENT);
    }

    int size() {
        return states.length;
    }

    synchronized State state(int rank) {
        return states[rank];
    }

    /** Returns true while the rank has been welcomed and is not gone. */
    synchronized boolean isMember(int rank) {
        return states[rank].compareTo(State.ABSENT) > 0 && states[rank].compareTo(State.LEFT) < 0;
    }

    /** Returns the rank's process, as {@link Platform#process} identifies it, or 0 if it is not known. */
    synchronized long process(int rank) {
        return processes[rank];
    }

    synchronized void process(int rank, long process) {
        processes[rank] = process;
    }

    /** Moves a rank forward. Returns false, and changes nothing, if it has already reached this state or is gone. */
    synchronized boolean advance(int rank, State state) {
        if (states[rank].compareTo(State.LEFT) >= 0 || states[rank].compareTo(state) >= 0) {
            return false;
        }
        states[rank] = state;
        notifyAll();
        return true;
    }

    /** Records that a rank has left or died. Before all have joined, that ends the waits of the others. */
    synchronized boolean lose(int rank, State how, String job) {
        if (!advance(rank, how)) {
            return false;
        }
        if (!going) {
            final String others = count(State.MADE) < states.length ? ", still missing " + missing(State.MADE) : "";
            final String message = "rank " + rank + " of " + job + (how == State.LEFT ? " left" : " died")
                    + " before all had joined" + others;
            fail(() -> new PeerFailedException(rank, message));
        }
        return true;
    }

    /** Records that all ranks have mapped everything: the job runs. */
    synchronized void go() {
        going = true;
        notifyAll();
    }

    synchronized boolean isGoing() {
        return going;
    }

    /** Returns the number of ranks that have reached at least this state. Ranks that are gone count for every state. */
    synchronized int count(State state) {
        int count = 0;
        for (final State reached : states) {
            count += reached.compareTo(state) >= 0 ? 1 : 0;
        }
        return count;
    }

    /** Returns true if all ranks have reached this state and none is gone. */
    synchronized boolean all(State state) {
        return count(state) == states.length && count(State.LEFT) == 0;
    }

    /** Returns the notifications that bring a new member up to date. */
    synchronized List<Frame> past() {
        final List<Frame> news = new ArrayList<>();
        for (int rank = 0; rank < states.length; rank++) {
            switch (states[rank]) {
                case ABSENT, WELCOME -> {}
                case MADE -> news.add(Frame.of(Frame.MADE, rank, processes[rank]));
                case MAPPED -> {
                    news.add(Frame.of(Frame.MADE, rank, processes[rank]));
                    news.add(Frame.of(Frame.MAPPED, rank, processes[rank]));
                }
                case LEFT -> news.add(Frame.of(Frame.LEFT, rank));
                case DEAD -> news.add(Frame.of(Frame.DEAD, rank));
            }
        }
        return news;
    }

    /** Returns the ranks that have not reached this state as text: "rank 2", "ranks 0, 5, 6". */
    synchronized String missing(State state) {
        final StringBuilder names = new StringBuilder();
        int missing = 0;
        for (int rank = 0; rank < states.length; rank++) {
            if (states[rank].compareTo(state) < 0 && missing++ < NAMED_LIMIT) {
                names.append(names.isEmpty() ? "" : ", ").append(rank);
            }
        }
        final String more = missing > NAMED_LIMIT ? " and " + (missing - NAMED_LIMIT) + " more" : "";
        return (missing == 1 ? "rank " : "ranks ") + names + more;
    }

    /** Records that the hub has refused a rank for its size, which does not end the wait for that rank. */
    synchronized void rejected(int rank, long size) {
        rejected = "; rank " + rank + " came with " + JobVariables.SIZE + "=" + size
                + " and was turned away: give all the same " + JobVariables.SIZE;
    }

    /** Returns the refused rank as text, for a message that names the missing ones; empty if none was refused. */
    synchronized String rejected() {
        return rejected;
    }

    /** Ends all present and future waits with this reason. The first reason stays. */
    synchronized void fail(Supplier<SegnoException> reason) {
        if (failure == null) {
            failure = reason;
            notifyAll();
        }
    }

    /** Ends the waits of one local rank with this reason. The first reason stays. */
    synchronized void fail(int rank, Supplier<SegnoException> reason) {
        obstacles.putIfAbsent(rank, reason);
        notifyAll();
    }

    synchronized boolean hasFailed() {
        return failure != null;
    }

    /**
     * Waits, for a local rank, until a condition on this roster is true.
     *
     * @throws DeadlineException at the deadline, with the text of the supplier about the missing ranks
     * @throws SegnoException with the recorded reason why the condition cannot become true
     */
    synchronized void await(int rank, BooleanSupplier reached, Supplier<String> missing, long deadlineNs) {
        while (!reached.getAsBoolean()) {
            final Supplier<SegnoException> reason = obstacles.getOrDefault(rank, failure);
            if (reason != null) {
                throw reason.get();
            }
            final long remainingNs = Deadline.remaining(deadlineNs);
            if (remainingNs <= 0) {
                throw new DeadlineException(missing.get());
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, remainingNs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ClosedException("interrupted while joining: " + missing.get());
            }
        }
    }
}
