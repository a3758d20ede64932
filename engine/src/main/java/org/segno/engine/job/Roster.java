package org.segno.engine.job;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
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

    /** Maximum number of statements of one rank. */
    static final int STATEMENT_LIMIT = 16;

    private static final int NAMED_LIMIT = 16;
    private static final int NOWHERE = -1;

    private final State[] states;
    private final long[] processes;
    private final int[] hosts;
    private final Map<Integer, List<Frame>> statements = new HashMap<>();
    private final Map<Integer, Frame> addresses = new HashMap<>();
    private final Map<Integer, Supplier<SegnoException>> obstacles = new HashMap<>();
    private final @Nullable Frame[] secretHalves = new Frame[2];
    private @Nullable Supplier<SegnoException> failure;
    private boolean going;
    private String rejected = "";

    Roster(int size) {
        states = new State[size];
        processes = new long[size];
        hosts = new int[size];
        Arrays.fill(states, State.ABSENT);
        Arrays.fill(hosts, NOWHERE);
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

    /** Returns the number of the rank's host, or a negative one if it is not known. */
    synchronized int host(int rank) {
        return hosts[rank];
    }

    synchronized void place(int rank, int host) {
        hosts[rank] = host;
        notifyAll();
    }

    /** Returns true if the hosts of all ranks are known. */
    synchronized boolean areAllPlaced() {
        return Arrays.stream(hosts).noneMatch(host -> host == NOWHERE);
    }

    /**
     * Keeps the address of a host. The first one stays. Returns false if there is one, or no host of the job has the
     * number: a host without ranks, that of the launcher, may precede one host for each rank.
     */
    synchronized boolean address(Frame host) {
        final int number = host.rank();
        return number >= 0 && number <= states.length && addresses.putIfAbsent(number, host) == null;
    }

    /** Returns the frame with the address of a host, or null in a job of one host. */
    synchronized @Nullable Frame address(int host) {
        return addresses.get(host);
    }

    /** Keeps a half of the secret of links. */
    synchronized void secret(Frame half) {
        if (half.third() == 0 || half.third() == 1) {
            secretHalves[(int) half.third()] = half;
            notifyAll();
        }
    }

    /** Returns the secret of links, or null before both halves have come. */
    synchronized byte @Nullable [] secret() {
        final Frame first = secretHalves[0];
        final Frame second = secretHalves[1];
        if (first == null || second == null) {
            return null;
        }
        return ByteBuffer.allocate(2 * Frame.SECRET_HALF)
                .putLong(first.first())
                .putLong(first.second())
                .putLong(second.first())
                .putLong(second.second())
                .array();
    }

    /** Keeps a statement of a rank. Returns false if it has made too many. */
    synchronized boolean state(Frame statement) {
        final List<Frame> made = statements.computeIfAbsent(statement.rank(), unknown -> new ArrayList<>());
        return made.size() < STATEMENT_LIMIT && made.add(statement);
    }

    /** Returns the statements of a rank, in their order. */
    synchronized List<Frame> statements(int rank) {
        return List.copyOf(statements.getOrDefault(rank, List.of()));
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
        final List<Frame> news = new ArrayList<>(addresses.values());
        for (int rank = 0; rank < states.length; rank++) {
            if (hosts[rank] != NOWHERE) {
                news.add(Frame.of(Frame.PLACE, rank, hosts[rank]));
            }
            news.addAll(statements.getOrDefault(rank, List.of()));
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

    /** Returns the ranks whose hosts are not known as text, as {@link #missing} does. */
    synchronized String unplaced() {
        return names(rank -> hosts[rank] == NOWHERE);
    }

    /** Returns the ranks that have not reached this state as text: "rank 2", "ranks 0, 5, 6". */
    synchronized String missing(State state) {
        return names(rank -> states[rank].compareTo(state) < 0);
    }

    private String names(IntPredicate isMissing) {
        final StringBuilder names = new StringBuilder();
        int missing = 0;
        for (int rank = 0; rank < states.length; rank++) {
            if (isMissing.test(rank) && missing++ < NAMED_LIMIT) {
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
