package org.segno.simulator;

/**
 * Layout of the window of each node in the mixed workload. Bytes between the parts are written by nobody.
 *
 * <pre>
 *  part       for each rank      written by             contents
 *  slots      4 of 256 bytes     PUTs of that rank      bytes of its last PUT
 *  words      1 of 8 bytes       RMWs of that rank      the sum of its amounts
 *  constant   one of 1 KiB       nobody                 bytes by rank, which REMOTE_GETs read
 *  (the counter ends here)
 *  sources    16 of 1 KiB        the node itself        payloads, and what REMOTE_GETs bring
 *  pattern    256 bytes          the node itself        metadata and payload of the recorded messages
 * </pre>
 */
record MixedLayout(int nodes) {
    static final int SLOTS = 4;
    static final int SLOT_BYTES = 256;
    static final int CONSTANT_BYTES = 1024;
    static final int SOURCES = 16;
    static final int SOURCE_BYTES = 1024;
    static final int PATTERN_BYTES = 256;
    private static final int GAP = 16;
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

    long source(int source) {
        return counterBytes() + GAP + (long) source * SOURCE_BYTES;
    }

    long pattern() {
        return source(SOURCES);
    }

    int windowBytes() {
        return (int) pattern() + PATTERN_BYTES;
    }

    /** Returns a byte of the constant part of a rank. */
    static byte constantByte(int rank, int offset) {
        return (byte) (rank * 31 + offset * 7 + 1);
    }

    /** Returns a byte of the payload of message {@code number} from a rank. */
    static byte payloadByte(int origin, long number, int offset) {
        return (byte) (origin * 17L + number * 13 + offset);
    }
}
