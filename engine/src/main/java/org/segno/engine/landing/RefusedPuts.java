package org.segno.engine.landing;

/**
 * PUTs of one peer in one stream that were refused and of which further parts may arrive. Each is refused and reported
 * once, and its later parts are dropped. Used only by the engine's thread.
 *
 * <p>A FIFO carries out one PUT at a time, so few are pending. A further one displaces another, whose later
 * parts are then refused again. A PUT of which the peer never sends the last part stays until it is displaced.
 */
final class RefusedPuts {
    /** Maximum number of pending refused PUTs, at most the number of bits of a word. */
    static final int CAPACITY = 64;

    private final int[] numbers = new int[CAPACITY];
    private long used;
    private int next;

    /** Adds the PUT of a number. It is not yet contained. */
    void add(int number) {
        final int free = Long.numberOfTrailingZeros(~used);
        final int at = free == CAPACITY ? next++ & (CAPACITY - 1) : free;
        numbers[at] = number;
        used |= 1L << at;
    }

    boolean contains(int number) {
        return find(number) >= 0;
    }

    /** Removes the PUT of a number if it is contained. */
    void remove(int number) {
        final int at = find(number);
        if (at >= 0) {
            used &= ~(1L << at);
        }
    }

    private int find(int number) {
        for (long rest = used; rest != 0; rest &= rest - 1) {
            final int at = Long.numberOfTrailingZeros(rest);
            if (numbers[at] == number) {
                return at;
            }
        }
        return -1;
    }
}
