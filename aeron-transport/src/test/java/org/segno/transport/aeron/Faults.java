package org.segno.transport.aeron;

/**
 * Faults of a network, each with the number of datagrams in a thousand that it befalls.
 *
 * @param lost are dropped
 * @param repeated arrive twice
 * @param late are overtaken by later ones, of which up to 64 pass
 * @param changed have bits that are not those that were sent
 * @param old are followed by a datagram of an earlier job
 */
record Faults(int lost, int repeated, int late, int changed, int old) {
    static final Faults NONE = new Faults(0, 0, 0, 0, 0);

    /** Of all faults, as few as a good network has. */
    static final Faults FEW = new Faults(5, 5, 20, 2, 0);

    /** Returns all other faults with this loss. */
    static Faults withLoss(int lost) {
        return new Faults(lost, 50, 200, 20, 20);
    }
}
