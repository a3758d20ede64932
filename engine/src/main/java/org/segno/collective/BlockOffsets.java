package org.segno.collective;

import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where the blocks of an all-to-all land, if they may have different lengths: each member only knows what it sends and
 * what it receives. The members tell each other by an all-to-all of two words: where the block of the other one lands,
 * and its length.
 */
final class BlockOffsets {
    private static final int ENTRY_BYTES = 2 * Long.BYTES;

    private final Lengths received;
    private final long[] offsets;

    private BlockOffsets(Lengths received, long[] offsets) {
        this.received = received;
        this.offsets = offsets;
    }

    /** Returns offsets for a schedule whose length alone matters. */
    static BlockOffsets unknown(Lengths received, int members) {
        return new BlockOffsets(received, new long[members]);
    }

    /** Returns the call by which the members tell each other. */
    static Call exchange() {
        return Call.allToAll(ENTRY_BYTES);
    }

    /** Carries out {@link #exchange}, and returns what this member learns of a call. */
    static Exchanged exchange(Collective exchange, Call call, Lengths received, int members, long deadlineNs) {
        final AtomicBuffer told = exchange.input();
        for (int member = 0; member < members; member++) {
            told.putLong(member * ENTRY_BYTES, received.offset(member));
            told.putLong(member * ENTRY_BYTES + Long.BYTES, received.length(member));
        }
        exchange.run(deadlineNs);
        final AtomicBuffer learnt = exchange.output();
        final long[] offsets = new long[members];
        String difference = null;
        for (int member = 0; member < members; member++) {
            offsets[member] = learnt.getLong(member * ENTRY_BYTES);
            final long length = learnt.getLong(member * ENTRY_BYTES + Long.BYTES);
            if (length != call.lengths().length(member)) {
                difference = "sends " + call.lengths().length(member) + " bytes to member " + member
                        + ", which receives " + length;
            }
        }
        return new Exchanged(new BlockOffsets(received, offsets), difference);
    }

    /**
     * What a member has learnt.
     *
     * @param difference how the lengths of two members differ; null if they do not
     */
    record Exchanged(BlockOffsets offsets, @Nullable String difference) {}

    /** Returns the lengths of the blocks that this member receives. */
    Lengths received() {
        return received;
    }

    /** Returns the offset at which this member's block lands in the result of another one. */
    long offsetAt(int member) {
        return offsets[member];
    }
}
