package org.segno.collective;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Rmw;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Table of the proposals of all members of a geometry that is created without another one. The member of the lowest
 * key, its rank and context, collects it: each other member finds that one by name and puts its proposal to it. Then it
 * puts the whole table to all. So a creation takes two messages and one look-up for each member but one, and all read
 * the same proposals.
 *
 * <p>The table is in ascending order of keys, because members may have been given in different orders. It lies in the
 * slots of the {@link Agreement}'s even set, and counts at the even counter. The first exchange of proposals uses the
 * odd ones, and the second one begins when all members have the table.
 */
final class CreationTable {
    /** Proposals in a part of the table: a page, because longer puts may be divided. */
    private static final int PART = 4096 / Proposal.LENGTH;

    /** In place of a step that could not be read. */
    private static final long UNKNOWN = -1;

    private final GeometryResources resources;
    private final Context context;
    private final Members members;
    private final long[] sorted;
    private final long digest;
    private final Window window;
    private final CounterPair pair;
    private final MutableDirectBuffer own;
    private final int index;

    /** Pair of the first member, to which the proposal of this one has gone; null if that member has ended. */
    private @Nullable Target first;

    /** Creates the table at this member. Its proposal, {@code own}, lies at offset 0 of the window. */
    CreationTable(
            GeometryResources resources, Members members, Window window, CounterPair pair, MutableDirectBuffer own) {
        this.resources = resources;
        this.context = resources.context();
        this.members = members;
        this.sorted = members.sortedKeys();
        this.digest = Digest.of(sorted);
        this.window = window;
        this.pair = pair;
        this.own = own;
        this.index = Arrays.binarySearch(sorted, members.key(members.self(context)));
    }

    /**
     * Exchanges the proposals.
     *
     * @param free offset in the window of a word for each member
     * @throws IllegalStateException if another member was given other members
     * @throws SegnoException if a member has died or left, or at the deadline; then the message names those that are
     *     missing
     */
    void exchange(Meeting meeting, long free, long deadlineNs) {
        Proposal.creator(own, digest, pair);
        if (index == 0) {
            collect(meeting, deadlineNs);
        } else {
            join(meeting, free, deadlineNs);
        }
        for (int i = 0; i < sorted.length && !isVerified(); i++) {
            if (Proposal.stepOf(slot(i)) == 0) {
                throw new IllegalStateException(members.title(sorted[i]) + " has given up at the end of a creation");
            }
            if (!isComplete(i)) {
                throw other(sorted[i]);
            }
        }
    }

    /** Returns true if the first member was given the same members, and has found that all have proposed the same. */
    boolean isVerified() {
        return isComplete(0) && Proposal.isVerified(slot(0));
    }

    private boolean isSame(int i) {
        return isComplete(i) && !Proposal.isFailed(slot(i)) && Proposal.difference(slot(i), slot(0)) == null;
    }

    private void collect(Meeting meeting, long deadlineNs) {
        slot(0).putBytes(0, own, 0, Proposal.LENGTH);
        final ReceptionCounter counter = pair.counter(0);
        counter.expect((sorted.length - 1L) * Proposal.LENGTH);
        while (counter.valueAcquire() > 0) {
            if (!isOver(counter, deadlineNs)) {
                requireTime(meeting, steps(), deadlineNs);
            }
        }
        // All have found this member. None returns, and might create the next geometry, before its name is withdrawn.
        meeting.end();
        // Otherwise each member finds the difference itself, and reports it.
        if (IntStream.range(0, sorted.length).allMatch(this::isSame)) {
            Proposal.verified(slot(0));
        }
        long last = -1;
        for (int i = 1; i < sorted.length; i++) {
            if (isComplete(i)) {
                last = putAll(Proposal.creatorPair(slot(i), Members.rankOf(sorted[i])), deadlineNs);
            }
        }
        if (last >= 0) {
            // The first exchange clears the slots.
            ContextAccess.awaitCarriedOut(context, last, deadlineNs);
        }
    }

    /** Puts the table to a member, in parts that no FIFO divides. Returns the position of the last one. */
    private long putAll(Target to, long deadlineNs) {
        long position = 0;
        for (int i = 0; i < sorted.length; i += PART) {
            final int count = Math.min(PART, sorted.length - i);
            position = put(to, i, offset(i), count * Proposal.LENGTH, deadlineNs);
        }
        return position;
    }

    private void join(Meeting meeting, long free, long deadlineNs) {
        pair.counter(0).expect((long) sorted.length * Proposal.LENGTH);
        final Target found = meeting.find(deadlineNs);
        if (found.length() != pair.length()) {
            throw other(sorted[0]);
        }
        boolean hasTable = false;
        try {
            propose(found, deadlineNs);
            awaitTable(meeting, free, deadlineNs);
            hasTable = true;
        } finally {
            if (!hasTable && first != null) {
                withdraw(first);
            }
        }
    }

    private void propose(Target to, long deadlineNs) {
        first = to;
        put(to, index, 0, Proposal.LENGTH, deadlineNs);
    }

    /** Waits for the table. The first member may have given up, and begun again. */
    private void awaitTable(Meeting meeting, long free, long deadlineNs) {
        final ReceptionCounter counter = pair.counter(0);
        final long halfNs = Deadline.in(Math.max(0, Deadline.remaining(deadlineNs)) / 2, TimeUnit.NANOSECONDS);
        long[] steps = unknown();
        while (counter.valueAcquire() > 0 && !isOver(counter, Deadline.reached(halfNs) ? deadlineNs : halfNs)) {
            requireTime(meeting, steps, deadlineNs);
            final Target now = meeting.findNow();
            if (counter.valueAcquire() <= 0) {
                return;
            }
            if (now == null) {
                // It has ended, or it has all proposals, and sends the table.
                first = null;
                steps = unknown();
                steps[0] = 0;
            } else if (!now.equals(first)) {
                propose(now, deadlineNs);
            } else if (Deadline.reached(halfNs)) {
                // Not at the deadline, which may be that of the first member, too.
                steps = stepsAt(now, free, deadlineNs);
            }
        }
    }

    /**
     * Withdraws the proposal of this member from the first one, which may still wait for others: that expects another
     * one in its place, from a member that calls again.
     */
    private void withdraw(Target from) {
        final Rmw missing = new Rmw().swap(0);
        try {
            if (context.count(from.ofRound(0), Proposal.LENGTH) != Status.BACK_PRESSURED) {
                context.rmw(from.ofRound(0), (long) index * Proposal.LENGTH, missing);
            }
            ContextAccess.runEngine(context);
        } catch (final SegnoException | IllegalStateException e) {
            // The creation has failed because of that.
        }
    }

    /** Puts bytes of the window to a slot. Returns the position in the FIFO. */
    private long put(Target to, int toSlot, long from, int length, long deadlineNs) {
        final long at = (long) toSlot * Proposal.LENGTH;
        long position = context.put(to.ofRound(0), at, window, from, length);
        while (position == Status.BACK_PRESSURED) {
            ContextAccess.awaitRoom(context, deadlineNs);
            position = context.put(to.ofRound(0), at, window, from, length);
        }
        return position;
    }

    /** Waits for a counter in the next slice. Returns true if everything has arrived. */
    private boolean isOver(ReceptionCounter counter, long deadlineNs) {
        try {
            context.await(counter, Meeting.slice(deadlineNs));
            return true;
        } catch (final DeadlineException e) {
            return false;
        }
    }

    /** After a slice, checks that there is time left, and that no member has died or left. */
    private void requireTime(Meeting meeting, long[] steps, long deadlineNs) {
        if (Deadline.reached(deadlineNs)) {
            throw meeting.late(missing(steps));
        }
        meeting.requirePresent();
    }

    private long[] unknown() {
        final long[] steps = new long[sorted.length];
        Arrays.fill(steps, UNKNOWN);
        return steps;
    }

    /** Describes the members that have sent no proposal, for an error message. */
    private String missing(long[] steps) {
        final String names = members.named(member -> steps[at(member)] == 0, member -> "");
        if (!names.isEmpty()) {
            return Meeting.missing(names);
        }
        return Arrays.stream(steps).anyMatch(step -> step == UNKNOWN)
                ? ""
                : "; all members have called: they may have been given other lists of members";
    }

    private int at(int member) {
        return Arrays.binarySearch(sorted, members.key(member));
    }

    private long[] steps() {
        final long[] steps = new long[sorted.length];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = Proposal.stepOf(slot(i));
        }
        return steps;
    }

    /** Reads the steps in the table of the first member. */
    private long[] stepsAt(Target from, long free, long deadlineNs) {
        final AtomicBuffer read = window.buffer(free, sorted.length * Long.BYTES);
        final long[] steps = unknown();
        try {
            for (int i = 0; i < steps.length; i++) {
                read.putLong(i * Long.BYTES, UNKNOWN);
            }
            read(from, free, resources.client().injectionCounter(), Meeting.slice(deadlineNs));
        } catch (final SegnoException | IllegalStateException e) {
            // It makes no pass on another host, or has ended; or no counter is free here.
        }
        for (int i = 0; i < steps.length; i++) {
            steps[i] = read.getLongAcquire(i * Long.BYTES);
        }
        return steps;
    }

    private void read(Target from, long to, InjectionCounter counter, long deadlineNs) {
        try {
            for (int i = 0; i < sorted.length; i++) {
                final long at = to + (long) i * Long.BYTES;
                if (context.get(from.ofRound(0), (long) i * Proposal.LENGTH, window, at, Long.BYTES, counter) >= 0) {
                    counter.expect(Long.BYTES);
                }
            }
            context.await(counter, deadlineNs);
        } finally {
            resources.client().close(counter);
        }
    }

    /** Returns the proposals of the members, in the order in which they were given here. */
    DirectBuffer[] proposals() {
        final DirectBuffer[] proposals = new DirectBuffer[sorted.length];
        for (int member = 0; member < proposals.length; member++) {
            proposals[member] = slot(at(member));
        }
        return proposals;
    }

    /** Returns the pairs of the members, in the order in which they were given here. */
    Target[] targets() {
        final DirectBuffer[] proposals = proposals();
        final Target[] targets = new Target[proposals.length];
        for (int member = 0; member < targets.length; member++) {
            targets[member] = Proposal.creatorPair(proposals[member], members.rank(member));
        }
        return targets;
    }

    private IllegalStateException other(long theirs) {
        return new IllegalStateException(members.title(theirs) + " was given another list of members than "
                + members.title(sorted[index]) + ": give the same members to all; members=" + members);
    }

    private boolean isComplete(int i) {
        return Proposal.stepOf(slot(i)) != 0 && Proposal.creatorDigest(slot(i)) == digest;
    }

    private AtomicBuffer slot(int i) {
        return window.buffer(offset(i), Proposal.LENGTH);
    }

    private long offset(int i) {
        return pair.offset(0) + (long) i * Proposal.LENGTH;
    }
}
