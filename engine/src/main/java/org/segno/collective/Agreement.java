package org.segno.collective;

import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.PatternAccess;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Exchange of proposals among the members of a geometry, one round for each new collective or geometry. It is itself a
 * recorded allgather: each member puts its proposal to its slot at all others, and all read the same proposals. So all
 * reach the same verdict.
 *
 * <p>Its window has the own proposal and two sets of a slot for each member, which rounds use in turn. The words
 * of {@link StartedRounds} and {@link FailedRounds} follow the slots of the even set; the numbers that
 * {@link StartedRounds} reads follow those of the odd set. The {@link CreationTable} lies in the even slots.
 */
final class Agreement {
    /** Time after which a wait looks whether a member has left. */
    private static final long SLICE_MS = 200;

    private final GeometryResources resources;
    private final Context context;
    private final int self;
    private final Members all;
    private final int members;
    private final Window window;
    private final CounterPair pair;
    private final MutableDirectBuffer own;
    private final StartedRounds started;
    private final FailedRounds failures;
    private final long answersOffset;
    private Target[] pairs = {};
    private @Nullable Pattern pattern;
    /** The geometry, for messages. */
    private Object geometry = "";

    /** True if the last exchange was declined, but not awaited. */
    private boolean isDeclined;

    /** Reason for which the members are out of step, or null. */
    private @Nullable String broken;

    /** Opens the exchange of one member, which others may write to. */
    Agreement(GeometryResources resources, int self, Members all) {
        this.resources = resources;
        this.context = resources.context();
        this.self = self;
        this.all = all;
        this.members = all.size();
        final long slots = (long) members * Proposal.LENGTH;
        final long set = slots + rest(members);
        final long even = Proposal.LENGTH;
        final long odd = even + set;
        this.window = resources.window(bytes(members));
        CounterPair opened = null;
        try {
            opened = resources.sharedPair(window, new CounterPair.Sets(even, odd, set), all.ranks());
        } finally {
            if (opened == null) {
                resources.close(window);
            }
        }
        this.pair = opened;
        this.own = new UnsafeBuffer(window.buffer(0, Proposal.LENGTH));
        this.answersOffset = odd + slots;
        this.started = new StartedRounds(resources, all.ranks(), window, pair, even + slots, answersOffset);
        this.failures = new FailedRounds(resources, all, self, window, even + slots);
    }

    /** Returns the bytes of its window. */
    static long bytes(int members) {
        return (1 + 2L * members) * Proposal.LENGTH + 2 * rest(members);
    }

    /** Returns the bytes behind the slots of each set. */
    private static long rest(int members) {
        return BitUtil.align((long) members * Long.BYTES, Proposal.LENGTH);
    }

    /** Returns the pair in which proposals land. */
    CounterPair pair() {
        return pair;
    }

    /**
     * Exchanges the proposals of a geometry that is created without another one.
     *
     * @param created the geometry, for messages
     */
    CreationTable meet(Meeting meeting, Object created, long deadlineNs) {
        geometry = created;
        final CreationTable table = new CreationTable(resources, all, window, pair, own);
        table.exchange(meeting, answersOffset, deadlineNs);
        return table;
    }

    /** Checks that all have proposed the same, and connects the exchange with their pairs. */
    void connect(CreationTable table) {
        if (!table.isVerified()) {
            requireSame(table.proposals());
        }
        connect(table.targets(), geometry);
    }

    /**
     * Sets the pairs of all members.
     *
     * @param connected the geometry, for messages
     */
    void connect(Target[] targets, Object connected) {
        geometry = connected;
        pairs = targets;
        started.connect(pairs);
        failures.connect(pairs);
    }

    /**
     * Records the exchange. A geometry that is created without another one does that when it first needs it.
     *
     * @throws IllegalStateException if there is no room
     */
    void prepare() {
        pattern = record();
    }

    private Pattern record() {
        final Pattern exchange = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(pair, (members - 1L) * Proposal.LENGTH);
            for (int distance = 1; distance < members; distance++) {
                final Target next = pairs[(self + distance) % members];
                context.put(next, (long) self * Proposal.LENGTH, window, 0, Proposal.LENGTH);
            }
        });
        PatternAccess.purpose(exchange, "agreement of " + geometry);
        return exchange;
    }

    /** Returns the proposal of this member, to be written before the exchange. */
    MutableDirectBuffer own() {
        return own;
    }

    /** Returns a number that is equal at all members, and different for other geometries of the same members. */
    long identity() {
        long identity = all.digest();
        for (final Target each : pairs) {
            identity = Digest.with(Digest.with(identity, each.counter()), each.incarnation());
        }
        return identity;
    }

    /** Records that the members are out of step: a step that belongs to an agreement has failed. */
    void breakOff(RuntimeException reason) {
        broken = String.valueOf(reason.getMessage());
    }

    /** Checks that no exchange has failed. */
    void requireInStep() {
        if (broken != null) {
            throw new IllegalStateException("the members of " + geometry + " are out of step since: " + broken
                    + "; close it, and create another one");
        }
    }

    /**
     * Exchanges proposals, and throws at every member unless all have proposed the same.
     *
     * @throws IllegalStateException if they have not; the message names the member and the argument
     * @throws org.segno.status.SegnoException as the waits of a context; the members are out of step then
     */
    void agree(long deadlineNs) {
        exchange(deadlineNs);
        requireSame(proposals());
    }

    /**
     * Exchanges proposals, as {@link #agree}. Returns true if instead all members can close the same collective because
     * one has no room.
     */
    boolean agreeOrClose(long deadlineNs) {
        exchange(deadlineNs);
        boolean isWithoutRoom = false;
        boolean isCloseable = Proposal.closeable(of(0)) != 0;
        for (int member = 0; member < members; member++) {
            isWithoutRoom |= Proposal.isWithoutRoom(of(member));
            isCloseable &= Proposal.closeable(of(member)) == Proposal.closeable(of(0));
        }
        if (isWithoutRoom && isCloseable) {
            return true;
        }
        requireSame(proposals());
        return false;
    }

    /** Waits for the proposals of a round, unless a member has died or left without one. */
    private void await(Pattern exchange, long round, long deadlineNs) {
        while (true) {
            final long sliceNs = Deadline.in(SLICE_MS, TimeUnit.MILLISECONDS);
            try {
                context.await(exchange, round, deadlineNs - sliceNs < 0 ? deadlineNs : sliceNs);
                return;
            } catch (final DeadlineException e) {
                if (Deadline.reached(deadlineNs)) {
                    throw e;
                }
                requirePresent(round);
            }
        }
    }

    private void requirePresent(long round) {
        for (int member = 0; member < members; member++) {
            final SegnoException reason = context.failure(all.rank(member));
            if (reason != null && member != self && Proposal.stepOf(slot(member, round)) == 0) {
                throw reason;
            }
        }
    }

    private DirectBuffer[] proposals() {
        final DirectBuffer[] proposals = new DirectBuffer[members];
        for (int member = 0; member < members; member++) {
            proposals[member] = of(member);
        }
        return proposals;
    }

    private void requireSame(DirectBuffer[] proposals) {
        for (int member = 0; member < members; member++) {
            final DirectBuffer proposal = proposals[member];
            if (Proposal.isFailed(proposal)) {
                throw new IllegalStateException(describe(member) + " could not take part: "
                        + Proposal.reason(proposal)
                        + (Proposal.isWithoutRoom(proposal)
                                ? "; the members would not close the same collective"
                                : ""));
            }
        }
        for (int member = 1; member < members; member++) {
            final String difference = Proposal.difference(proposals[member], proposals[0]);
            if (difference != null) {
                throw new IllegalStateException(describe(member) + " " + difference + " as " + describe(0)
                        + ": all members of " + geometry
                        + (Proposal.stepOf(proposals[0]) == Proposal.CREATE
                                ? " are given the same arguments"
                                : " call the same collectives in the same order"));
            }
        }
    }

    /** Waits until all members have recorded. One may have no room for the recording. */
    void agreeAgain(long deadlineNs) {
        Proposal.step(own, Proposal.RECORDED);
        agree(deadlineNs);
    }

    /** Notifies the other members that this one cannot take part. Returns the reason. */
    RuntimeException failed(RuntimeException reason, long deadlineNs) {
        Proposal.failed(own, String.valueOf(reason.getMessage()));
        exchange(deadlineNs);
        return reason;
    }

    /** Returns the number of rounds that this member has started. */
    StartedRounds started() {
        return started;
    }

    /** Returns the notices of rounds that have failed at one member. */
    FailedRounds failures() {
        return failures;
    }

    /**
     * Adds to an exception at a deadline which members are behind, and which calls others have begun meanwhile.
     *
     * @param beside members on this host, in ascending order
     * @param round number of the round, of {@link StartedRounds#next}
     */
    DeadlineException late(DeadlineException reason, int[] beside, long round) {
        started.ask(beside, self);
        final String behind = behind(round);
        return meanwhile(behind.isEmpty() ? reason : new DeadlineException(reason.getMessage() + ";" + behind));
    }

    /** Lists other members for which a test is true, each with a description. */
    private String named(IntPredicate test, IntFunction<String> description) {
        return all.named(member -> member != self && test.test(member), description);
    }

    private String behind(long round) {
        return named(
                member -> started.of(member) != StartedRounds.NO_ANSWER && started.of(member) < round,
                member -> " has started " + started.of(member) + " of " + round + " rounds here");
    }

    private DeadlineException meanwhile(DeadlineException reason) {
        final String early =
                named(member -> Proposal.stepOf(early(member)) != 0, member -> " " + Proposal.describe(early(member)));
        return early.isEmpty()
                ? reason
                : new DeadlineException(reason.getMessage() + "; meanwhile" + early
                        + ": all members call the same in the same order, and a call is new at all of them or at none");
    }

    /**
     * Sends the proposal of this member, and waits for those of all others.
     *
     * @throws org.segno.status.SegnoException as the waits of a context; the members are out of step then. At the
     *     deadline the message names the members that have not sent a proposal
     */
    private void exchange(long deadlineNs) {
        final Pattern exchange = recorded(deadlineNs);
        try {
            if (isDeclined) {
                await(exchange, exchange.generation(), deadlineNs);
                isDeclined = false;
            }
            write(exchange);
            final long round = ContextAccess.start(context, exchange, exchange, deadlineNs);
            await(exchange, round, deadlineNs);
        } catch (final DeadlineException e) {
            final String late =
                    named(member -> Proposal.stepOf(slot(member, exchange.generation())) == 0, member -> "");
            broken = e.getMessage() + "; not called yet by" + late;
            throw new DeadlineException(broken);
        } catch (final RuntimeException e) {
            breakOff(e);
            throw e;
        }
    }

    /** Returns the exchange. If there is no room for its recording, notifies the other members before it throws. */
    private Pattern recorded(long deadlineNs) {
        Pattern exchange = pattern;
        if (exchange == null) {
            try {
                exchange = record();
            } catch (final IllegalArgumentException | IllegalStateException e) {
                Proposal.failed(own, String.valueOf(e.getMessage()));
                breakOff(e);
                sendOnce(deadlineNs);
                throw e;
            }
            pattern = exchange;
        }
        return exchange;
    }

    /** Sends the proposal for the first exchange without a recording. */
    private void sendOnce(long deadlineNs) {
        for (int distance = 1; distance < members; distance++) {
            final Target next = pairs[(self + distance) % members].ofRound(1);
            while (context.put(next, (long) self * Proposal.LENGTH, window, 0, Proposal.LENGTH)
                    == Status.BACK_PRESSURED) {
                ContextAccess.awaitRoom(context, deadlineNs);
            }
        }
        ContextAccess.runEngine(context);
    }

    /** Prepares the next round of the exchange. */
    private void write(Pattern exchange) {
        // The slots of the round after it have the proposals of the last one. Nobody writes them before it has this
        // one.
        for (int member = 0; member < members; member++) {
            Proposal.clear(slot(member, exchange.generation() + 2));
        }
        Proposal.rounds(own, started.count(), started.areComparable());
    }

    /** Returns true if others have sent proposals for an exchange that this member has not begun. */
    boolean isCalled() {
        return pair.counter(generation() + 1).valueAcquire() != 0;
    }

    /** Returns the number of exchanges that this member has begun. */
    private long generation() {
        return pattern == null ? 0 : pattern.generation();
    }

    /**
     * Returns a member that has sent a proposal for an exchange which this one has not begun, before it started as
     * many rounds of collectives as this one; or -1, also if a proposal has arrived in part.
     *
     * @param round number of a round that this member has started
     */
    int skipping(long round) {
        if (!started.areComparable()) {
            return -1;
        }
        final long next = generation() + 1;
        long arrived = -pair.counter(next).valueAcquire();
        int skipping = -1;
        for (int member = 0; member < members; member++) {
            if (Proposal.stepOf(slot(member, next)) != 0 && member != self) {
                arrived -= Proposal.LENGTH;
                skipping = Proposal.missing(slot(member, next), round) == 0 ? skipping : member;
            }
        }
        return arrived == 0 ? skipping : -1;
    }

    /** Returns the proposal of a member for an exchange that this one has not begun. */
    DirectBuffer early(int member) {
        return slot(member, generation() + 1);
    }

    /** Begins an exchange with the proposal that this member cannot take part. Does not wait for the others. */
    void decline(String reason) {
        final Pattern exchange = recorded(Deadline.in(0, TimeUnit.NANOSECONDS));
        Proposal.failed(own, reason);
        write(exchange);
        // If there is no room, the others wait until their deadlines.
        isDeclined = context.replay(exchange) > 0;
        ContextAccess.runEngine(context);
    }

    /** Returns the proposal of a member in the last exchange. */
    DirectBuffer of(int member) {
        return member == self ? own : slot(member, generation());
    }

    private AtomicBuffer slot(int member, long round) {
        return window.buffer(pair.offset(round) + (long) member * Proposal.LENGTH, Proposal.LENGTH);
    }

    String describe(int member) {
        return all.describe(member);
    }

    void close() {
        if (pattern != null) {
            pattern.close();
            pattern = null;
        }
        started.close();
        failures.close();
        resources.close(pair);
        resources.close(window);
    }
}
