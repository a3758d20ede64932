package org.segno.collective;

import java.util.Arrays;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Status;

/**
 * Table of the counter pairs of all members of a geometry that is created without another one. The member of the
 * lowest key, its rank and context, collects it: each other member finds that one by name and puts an entry to it. Then
 * it puts the whole table to all. So the members together make one look-up less than they are, and each waits for one
 * counter.
 *
 * <p>The table is in ascending order of keys, because members may have been given in different orders. It lies behind
 * the slots of the {@link Agreement}'s even set, and counts at the even counter. The first exchange of proposals uses
 * the odd ones, and the second one begins when all members have the table.
 *
 * <pre>
 *  offset  length  field        meaning
 *       0       4  id           even counter of the member's pair
 *       4       4  incarnation  number of the use of the pair
 *       8       8  digest       of the keys of all members, in ascending order; 0 in an entry that is missing
 *      16          LENGTH
 * </pre>
 */
final class PairTable {
    static final int LENGTH = 16;

    private static final int INCARNATION_OFFSET = 4;
    private static final int DIGEST_OFFSET = 8;

    private final Context context;
    private final Members members;
    private final long key;
    private final long[] sorted;
    private final long digest;
    private final Window window;
    private final CounterPair pair;
    private final long setOffset;
    private final AtomicBuffer entries;

    /**
     * Creates the table of one member.
     *
     * @param members in the order given here
     * @param setOffset of the table in the sets of the pair
     */
    PairTable(Context context, Members members, Window window, CounterPair pair, long setOffset) {
        this.context = context;
        this.members = members;
        this.key = members.key(members.self(context));
        this.sorted = members.sortedKeys();
        this.digest = Digest.of(sorted);
        this.window = window;
        this.pair = pair;
        this.setOffset = setOffset;
        this.entries = window.buffer(offset(0), sorted.length * LENGTH);
        entries.setMemory(0, entries.capacity(), (byte) 0);
    }

    /** Returns the bytes of the window that the table of a number of members takes. */
    static long bytes(int members) {
        return BitUtil.align((long) members * LENGTH, Proposal.LENGTH);
    }

    /**
     * Returns the pairs of all members, once all have published theirs.
     *
     * @throws IllegalStateException if another member was given other ranks
     * @throws org.segno.status.SegnoException as {@link Meeting}
     */
    Target[] pairs(Meeting meeting, long deadlineNs) {
        final int own = Arrays.binarySearch(sorted, key);
        entries.putInt(own * LENGTH, pair.id());
        entries.putInt(own * LENGTH + INCARNATION_OFFSET, pair.incarnation());
        entries.putLong(own * LENGTH + DIGEST_OFFSET, digest);
        final int others = sorted.length - 1;
        if (own == 0) {
            pair.counter(0).expect((long) others * LENGTH);
            meeting.await(pair.counter(0), deadlineNs);
            for (int i = 1; i <= others; i++) {
                if (isComplete(i)) {
                    put(target(i), 0, entries.capacity(), deadlineNs);
                }
            }
            // All others wait for the table: it is sent before this member goes on.
            ContextAccess.runEngine(context);
        } else {
            pair.counter(0).expect(entries.capacity());
            final Target first = meeting.find(sorted[0], deadlineNs);
            if (first.length() != pair.length()) {
                throw other(sorted[0]);
            }
            put(first, own, LENGTH, deadlineNs);
            meeting.await(pair.counter(0), deadlineNs);
        }
        return targets();
    }

    private void put(Target to, int first, int length, long deadlineNs) {
        final long at = setOffset + (long) first * LENGTH;
        while (context.put(to.ofRound(0), at, window, offset(first), length) == Status.BACK_PRESSURED) {
            ContextAccess.awaitRoom(context, deadlineNs);
        }
    }

    private Target[] targets() {
        final Target[] targets = new Target[sorted.length];
        for (int member = 0; member < targets.length; member++) {
            final int i = Arrays.binarySearch(sorted, members.key(member));
            if (!isComplete(i)) {
                throw other(sorted[i]);
            }
            targets[member] = target(i);
        }
        return targets;
    }

    private IllegalStateException other(long theirs) {
        return new IllegalStateException(members.title(theirs) + " was given another list of members than "
                + members.title(key) + ": give the same members to all; members=" + members);
    }

    private Target target(int i) {
        final int id = entries.getInt(i * LENGTH);
        return new Target(
                Members.rankOf(sorted[i]), id, entries.getInt(i * LENGTH + INCARNATION_OFFSET), Long.MAX_VALUE, true);
    }

    private boolean isComplete(int i) {
        return entries.getLong(i * LENGTH + DIGEST_OFFSET) == digest;
    }

    private long offset(int i) {
        return pair.offset(0) + setOffset + (long) i * LENGTH;
    }
}
