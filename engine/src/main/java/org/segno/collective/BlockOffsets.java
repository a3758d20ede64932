package org.segno.collective;

import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Landing offsets of an all-to-all with blocks of different lengths. Each member is given only the lengths of its own
 * blocks. The members therefore exchange two words each before the recording, by another all-to-all: the offset at
 * which the block of the other member lands, and its length.
 */
final class BlockOffsets {
    private static final int ENTRY_BYTES = 2 * Long.BYTES;

    private final Lengths received;
    private final long[] offsets;

    private BlockOffsets(Lengths received, long[] offsets) {
        this.received = received;
        this.offsets = offsets;
    }

    /** Returns zero offsets, for checks of arguments and for the length of a schedule. */
    static BlockOffsets unknown(Lengths received, int members) {
        return new BlockOffsets(received, new long[members]);
    }

    /** Returns the call that exchanges offsets and lengths. */
    static Call exchange() {
        return Call.allToAll(ENTRY_BYTES);
    }

    /** Carries out {@link #exchange}, and returns the received offsets. */
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
     * Result of the exchange at one member.
     *
     * @param offsets at which this member's blocks land
     * @param difference description of two lengths that differ; null if all are equal
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
