package org.segno.engine.fifo;

/**
 * Visits to a ring of descriptors whose packets over links have not all landed. The head of the ring moves past a visit
 * when the packets of that visit and of all before it have landed. Used only by the engine's thread.
 *
 * <p>A group of packets is that of one visit, or of several visits while all groups are in use.
 */
final class UnlandedVisits {
    /** Maximum number of groups, a power of two. */
    static final int CAPACITY = 32;

    private final long[] heads = new long[CAPACITY];
    private final int[] packets = new int[CAPACITY];
    private int oldest;
    private int current;

    /** Records that the present visit sends a packet. Returns the packet's group. */
    int sent() {
        packets[at(current)]++;
        return current;
    }

    /**
     * Ends a visit that has reached {@code head} and has sent packets, or follows one whose packets have not landed.
     */
    void end(long head) {
        heads[at(current)] = head;
        if (packets[at(current)] != 0 && current - oldest < CAPACITY - 1) {
            current++;
            packets[at(current)] = 0;
            heads[at(current)] = head;
        }
    }

    /**
     * Records, between two visits, that {@code count} packets of a group have landed or were refused.
     *
     * @param before head before which everything had landed
     * @return the head before which everything has landed now
     */
    long landed(int group, int count, long before) {
        packets[at(group)] -= count;
        long landed = before;
        while (packets[at(oldest)] == 0) {
            landed = heads[at(oldest)];
            if (oldest == current) {
                break;
            }
            oldest++;
        }
        return landed;
    }

    private static int at(int group) {
        return group & (CAPACITY - 1);
    }
}
