package org.segno.simulator;

import org.agrona.BitUtil;

/**
 * Layout of the window of each node in the mixed workload. Bytes between the parts are written by nobody.
 *
 * <pre>
 *  part       for each rank      written by             contents
 *  slots      5 of 256 bytes     PUTs of that rank      bytes of its last PUT
 *  words      1 of 8 bytes       RMWs of that rank      the sum of its amounts
 *  constant   one of 1 KiB       nobody                 bytes by rank, which REMOTE_GETs read
 *  (the counter ends here)
 *  sources    16 of 1 KiB        the node itself        payloads, and what REMOTE_GETs bring
 *  pattern    256 bytes          the node itself        metadata and payload of the recorded messages
 *  landing    4 of 1 KiB         rendezvous messages    their payloads
 *  messenger  4 of 1 KiB         the node itself        payloads of messages and PUTs through the messenger
 *  door       1 of 8 bytes       PUTs of that rank      of the door's first use; the door is another counter
 *  closed     1 of 8 bytes       nobody                 zeroes: the door's range in its later uses
 *  bell       1 of 8 bytes       PUTs of that rank      of the bell, another counter
 *  sealed     one of 24 bytes    nobody                 of a counter that refuses nearly all
 *  refused    one of 24 bytes    the node itself        operands of operations that are refused
 *  room       one of 8 bytes     the node itself        what it sends to the rooms of its peers
 *  multicast  one of 216 bytes   the node itself        metadata and payload of multicasts
 *  exchange   6 of 96 bytes      see MixedExchange      targets, sources and results of even and odd rounds
 * </pre>
 */
record MixedLayout(int nodes) {
    static final int SLOTS = 5;
    static final int SLOT_BYTES = 256;
    static final int CONSTANT_BYTES = 1024;
    static final int SOURCES = 16;
    static final int SOURCE_BYTES = 1024;
    static final int PATTERN_BYTES = 256;
    static final int LANDINGS = 4;
    static final int MESSENGER_SOURCES = 4;

    /** Bytes of the fields at the beginning of each message: its number and the length of its payload. */
    static final int FIELD_BYTES = 16;

    /** Length of the longest message that goes in one record. */
    static final int LONGEST_MESSAGE = 900 + FIELD_BYTES;

    /** Most bytes of the payload of a multicast. */
    static final int MULTICAST_BYTES = 200;

    static final int SEALED_BYTES = 24;

    /** Bytes of a window that is closed at once after its use. */
    static final int LENT_BYTES = 256;

    /** Bytes that a rank sends to another in a round of an exchange. */
    static final int PIECE_BYTES = 48;

    static final int EXCHANGE_BYTES = 2 * PIECE_BYTES;
    static final int EXCHANGE_SETS = 6;
    static final int EXCHANGE_GAP = 16;

    static final int GAP = 16;
    private static final int ALIGNMENT = 128;
    private static final int SLOT_STRIDE = SLOT_BYTES + GAP;

    long slot(int origin, int slot) {
        return GAP + (long) (origin * SLOTS + slot) * SLOT_STRIDE;
    }

    long word(int origin) {
        return slot(nodes, 0) + (long) origin * 2 * Long.BYTES;
    }

    long constant() {
        return word(nodes) + GAP;
    }

    /** Returns the length of the range that the counter admits. */
    int counterBytes() {
        return (int) constant() + CONSTANT_BYTES;
    }

    /**
     * Returns the offsets of the gaps of {@link #GAP} bytes behind the counter's range. Gaps within it are compared
     * with it, and those of the exchange by that.
     */
    long[] gaps() {
        return new long[] {
            counterBytes(),
            landing(LANDINGS),
            messengerSource(MESSENGER_SOURCES),
            door() + doorBytes(),
            closed() + doorBytes(),
            bell() + bellBytes(),
            sealed() + SEALED_BYTES,
            refused() + SEALED_BYTES,
            roomSource() + Long.BYTES,
            multicast() + FIELD_BYTES + MULTICAST_BYTES
        };
    }

    long source(int source) {
        return counterBytes() + GAP + (long) source * SOURCE_BYTES;
    }

    long pattern() {
        return source(SOURCES);
    }

    long landing(int landing) {
        return pattern() + PATTERN_BYTES + (long) landing * SOURCE_BYTES;
    }

    long messengerSource(int source) {
        return landing(LANDINGS) + GAP + (long) source * SOURCE_BYTES;
    }

    long door() {
        return messengerSource(MESSENGER_SOURCES) + GAP;
    }

    /** Returns the offset of the closed range, which is as long as the door's. */
    long closed() {
        return door() + doorBytes() + GAP;
    }

    int doorBytes() {
        return nodes * Long.BYTES;
    }

    long bell() {
        return closed() + doorBytes() + GAP;
    }

    int bellBytes() {
        return nodes * Long.BYTES;
    }

    long sealed() {
        return bell() + bellBytes() + GAP;
    }

    long refused() {
        return sealed() + SEALED_BYTES + GAP;
    }

    long roomSource() {
        return refused() + SEALED_BYTES + GAP;
    }

    long multicast() {
        return roomSource() + Long.BYTES + GAP;
    }

    /** Returns the offset of a set of the exchange. The gap after it belongs to nobody. */
    long exchange(int set) {
        return multicast() + FIELD_BYTES + MULTICAST_BYTES + GAP + (long) set * (EXCHANGE_BYTES + EXCHANGE_GAP);
    }

    int windowBytes() {
        return (int) exchange(EXCHANGE_SETS);
    }

    /** Returns the bytes of the other windows that may be open or closing at a time. */
    int otherWindowBytes() {
        return 2 * BitUtil.align(nodes * Long.BYTES, ALIGNMENT) + 4 * LENT_BYTES;
    }

    /** Returns the index of the first place that is not taken, or -1. */
    static int free(boolean[] isTaken) {
        for (int i = 0; i < isTaken.length; i++) {
            if (!isTaken[i]) {
                return i;
            }
        }
        return -1;
    }
}
