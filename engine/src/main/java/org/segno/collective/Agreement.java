package org.segno.collective;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
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

/**
 * Exchange of proposals among the members of a geometry, one round for each new collective or geometry. It is itself a
 * recorded allgather: each member puts its proposal to its slot at all others, and all read the same proposals. So all
 * reach the same verdict.
 *
 * <p>Its window has the own proposal, and then two sets of a slot for each member, which rounds use in turn.
 */
final class Agreement {
    private final GeometryResources resources;
    private final Context context;
    private final int self;
    private final int members;
    private final Window window;
    private final CounterPair pair;
    private final MutableDirectBuffer own;
    private @Nullable Pattern pattern;

    /**
     * Opens the exchange of one member, which others may write to.
     *
     * @param ranks of all members
     */
    Agreement(GeometryResources resources, int self, int[] ranks) {
        this.resources = resources;
        this.context = resources.context();
        this.self = self;
        this.members = ranks.length;
        final long set = (long) members * Proposal.LENGTH;
        final long even = Proposal.LENGTH;
        final long odd = even + set;
        this.window = resources.window(bytes(members));
        CounterPair opened = null;
        try {
            opened = resources.pair(window, new CounterPair.Sets(even, odd, set), ranks);
        } finally {
            if (opened == null) {
                resources.close(window);
            }
        }
        this.pair = opened;
        this.own = new UnsafeBuffer(window.buffer(0, Proposal.LENGTH));
    }

    /** Returns the bytes of its window. */
    static long bytes(int members) {
        return (1 + 2L * members) * Proposal.LENGTH;
    }

    /** Returns the pair in which proposals land. */
    CounterPair pair() {
        return pair;
    }

    /**
     * Records the exchange with the pairs of all members.
     *
     * @param purpose of it, for messages
     */
    void connect(Target[] pairs, String purpose) {
        final Pattern exchange = context.prepare(Rounds.ALTERNATE, () -> {
            context.expect(pair, (members - 1L) * Proposal.LENGTH);
            for (int distance = 1; distance < members; distance++) {
                final Target next = pairs[(self + distance) % members];
                context.put(next, (long) self * Proposal.LENGTH, window, 0, Proposal.LENGTH);
            }
        });
        PatternAccess.purpose(exchange, purpose);
        pattern = exchange;
    }

    /** Returns the proposal of this member, to be written before the exchange. */
    MutableDirectBuffer own() {
        return own;
    }

    /**
     * Sends the proposal of this member, and waits for those of all others.
     *
     * @throws org.segno.status.SegnoException as the waits of a context; the members are out of step then
     */
    void exchange(long deadlineNs) {
        final Pattern exchange = pattern;
        if (exchange == null) {
            throw new IllegalStateException("not connected");
        }
        final long round = ContextAccess.start(context, exchange, exchange, deadlineNs);
        context.await(exchange, round, deadlineNs);
    }

    /** Returns the proposal of a member in the last exchange. */
    DirectBuffer of(int member) {
        final Pattern exchange = pattern;
        return member == self || exchange == null
                ? own
                : window.buffer(pair.offset(exchange.generation()) + (long) member * Proposal.LENGTH, Proposal.LENGTH);
    }

    void close() {
        if (pattern != null) {
            pattern.close();
        }
        resources.close(pair);
        resources.close(window);
    }
}
