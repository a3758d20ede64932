package org.segno.engine.job;

import java.nio.ByteBuffer;
import java.util.ArrayList;
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
        ABSENT(0),
        WELCOME(1),
        MADE(2),
        MAPPED(3),
        LEFT(4),
        DEAD(5);

        private static final State[] ALL = values();

        /** Number of the state, the same as its index. */
        private final int number;

        State(int number) {
            this.number = number;
        }
    }

    /** Maximum number of statements of one rank. */
    static final int STATEMENT_LIMIT = 16;

    /** Highest number of a host. */
    static final int MAX_HOST = 8_190;

    private static final int NAMED_LIMIT = 16;
    private static final int NOWHERE = -1;
    private static final int HOST_SHIFT = 3;
    private static final int STATE_MASK = (1 << HOST_SHIFT) - 1;

    /** By rank, its state in the lower bits; above, the number of its host plus one, or 0 if that is not known. */
    private final char[] ranks;

    private final Map<Integer, Long> processes = new HashMap<>();

    /** By host, the statements of the first rank there that was made. Most others have made equal ones. */
    private final Map<Integer, List<Statement>> usual = new HashMap<>();

    /** By rank, the statements of those not yet made, and of those that have made other ones than the first. */
    private final Map<Integer, List<Statement>> statements = new HashMap<>();

    private final Map<Integer, Frame> addresses = new HashMap<>();
    private final Map<Integer, Supplier<SegnoException>> obstacles = new HashMap<>();
    private final @Nullable Frame[] secretHalves = new Frame[2];
    private @Nullable Supplier<SegnoException> failure;
    private boolean going;
    private String rejected = "";

    Roster(int size) {
        ranks = new char[size];
    }

    int size() {
        return ranks.length;
    }

    synchronized State state(int rank) {
        return State.ALL[ranks[rank] & STATE_MASK];
    }

    /** Returns true while the rank has been welcomed and is not gone. */
    synchronized boolean isMember(int rank) {
        return state(rank).compareTo(State.ABSENT) > 0 && state(rank).compareTo(State.LEFT) < 0;
    }

    /** Returns the rank's process, as {@link Platform#process} identifies it, or 0 if it is not known. */
    synchronized long process(int rank) {
        return processes.getOrDefault(rank, 0L);
    }

    synchronized void process(int rank, long process) {
        processes.put(rank, process);
    }

    /** Returns the number of the rank's host, or a negative one if it is not known. */
    synchronized int host(int rank) {
        return (ranks[rank] >> HOST_SHIFT) - 1;
    }

    /** Sets the number of the rank's host, which is from 0 to {@value #MAX_HOST}. */
    synchronized void place(int rank, int host) {
        ranks[rank] = (char) ((host + 1) << HOST_SHIFT | (ranks[rank] & STATE_MASK));
        notifyAll();
    }

    /** Returns true if the hosts of all ranks are known. */
    synchronized boolean areAllPlaced() {
        for (final char rank : ranks) {
            if (rank >> HOST_SHIFT == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Keeps the address of a host. The first one stays. Returns false if there is one, or no host of the job has the
     * number: a host without ranks, that of the launcher, may precede one host for each rank.
     */
    synchronized boolean address(Frame host) {
        final int number = host.rank();
        return number >= 0 && number <= ranks.length && addresses.putIfAbsent(number, host) == null;
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

    /** Keeps a statement of a rank. Returns false if it has made too many, or no topic has that number. */
    synchronized boolean state(Frame statement) {
        final int rank = statement.rank();
        final int topic = (int) statement.first();
        final List<Statement> made = new ArrayList<>(statements(rank));
        made.add(new Statement(topic, statement.second(), statement.third()));
        if (made.size() > STATEMENT_LIMIT || topic != statement.first()) {
            return false;
        }
        statements.put(rank, List.copyOf(made));
        return true;
    }

    /** Returns the statements of a rank, in their order: the same list for most ranks of a host. */
    synchronized List<Statement> statements(int rank) {
        final List<Statement> own = statements.get(rank);
        if (own != null) {
            return own;
        }
        return isMade(rank) ? usual.getOrDefault(host(rank), List.of()) : List.of();
    }

    private boolean isMade(int rank) {
        return state(rank).compareTo(State.MADE) >= 0;
    }

    /** Gives up the own list of a rank that has stated the same as others of its host. */
    private void settle(int rank) {
        final List<Statement> own = statements.getOrDefault(rank, List.of());
        if (usual.computeIfAbsent(host(rank), unknown -> own).equals(own)) {
            statements.remove(rank);
        } else {
            statements.put(rank, own);
        }
    }

    /**
     * Records a notification of the hub about a rank: its place, a statement, or that it is made or has mapped all.
     * Returns false if no hub sends it.
     *
     * @param keepsProcess whether the process of the rank is of interest
     */
    synchronized boolean record(Frame news, boolean keepsProcess) {
        final int rank = news.rank();
        if (news.type() == Frame.PLACE) {
            if (news.first() < 0 || news.first() > MAX_HOST) {
                return false;
            }
            place(rank, (int) news.first());
            return true;
        }
        if (news.type() == Frame.STATEMENT) {
            return state(news);
        }
        if (news.type() != Frame.MADE && news.type() != Frame.MAPPED) {
            return false;
        }
        if (keepsProcess) {
            process(rank, news.first());
        }
        advance(rank, news.type() == Frame.MADE ? State.MADE : State.MAPPED);
        return true;
    }

    /** Moves a rank forward. Returns false, and changes nothing, if it has already reached this state or is gone. */
    synchronized boolean advance(int rank, State state) {
        if (state(rank).compareTo(State.LEFT) >= 0 || state(rank).compareTo(state) >= 0) {
            return false;
        }
        if (!isMade(rank) && state.compareTo(State.MADE) >= 0) {
            settle(rank);
        }
        ranks[rank] = (char) ((ranks[rank] & ~STATE_MASK) | state.number);
        notifyAll();
        return true;
    }

    /** Records that a rank has left or died. Before all have joined, that ends the waits of the others. */
    synchronized boolean lose(int rank, State how, String job) {
        if (!advance(rank, how)) {
            return false;
        }
        if (!going) {
            final String others = count(State.MADE) < ranks.length ? ", still missing " + missing(State.MADE) : "";
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
        for (final char rank : ranks) {
            count += (rank & STATE_MASK) >= state.number ? 1 : 0;
        }
        return count;
    }

    /** Returns true if all ranks have reached this state and none is gone. */
    synchronized boolean all(State state) {
        return count(state) == ranks.length && count(State.LEFT) == 0;
    }

    /**
     * Returns the notifications that bring a new member up to date. The addresses of hosts come first: a process reads
     * that of its own host as soon as all ranks have places. The places come next, because a member keeps more about
     * the ranks of its own host.
     */
    synchronized List<Frame> past() {
        final List<Frame> news = new ArrayList<>(addresses.values());
        for (int rank = 0; rank < ranks.length; rank++) {
            if (host(rank) != NOWHERE) {
                news.add(Frame.of(Frame.PLACE, rank, host(rank)));
            }
        }
        for (int rank = 0; rank < ranks.length; rank++) {
            for (final Statement made : statements(rank)) {
                news.add(Frame.statement(rank, made));
            }
            switch (state(rank)) {
                case ABSENT, WELCOME -> {}
                case MADE -> news.add(Frame.of(Frame.MADE, rank, process(rank)));
                case MAPPED -> {
                    news.add(Frame.of(Frame.MADE, rank, process(rank)));
                    news.add(Frame.of(Frame.MAPPED, rank, process(rank)));
                }
                case LEFT -> news.add(Frame.of(Frame.LEFT, rank));
                case DEAD -> news.add(Frame.of(Frame.DEAD, rank));
            }
        }
        return news;
    }

    /** Returns the ranks whose hosts are not known as text, as {@link #missing} does. */
    synchronized String unplaced() {
        return names(rank -> host(rank) == NOWHERE);
    }

    /** Returns the ranks of a host as text, as {@link #missing} does. */
    synchronized String on(int host) {
        return names(rank -> host(rank) == host);
    }

    /** Returns the ranks that have not reached this state as text: "rank 2", "ranks 0, 5, 6". */
    synchronized String missing(State state) {
        return names(rank -> state(rank).compareTo(state) < 0);
    }

    private String names(IntPredicate isMissing) {
        final StringBuilder names = new StringBuilder();
        int missing = 0;
        for (int rank = 0; rank < ranks.length; rank++) {
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
