package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.InjectionFifoConsumer;

/**
 * Injection FIFOs that wait for room, in the order in which they first found none. The first one is served before the
 * others. Otherwise many short messages would keep the room of a long one occupied. Used only by the engine's thread.
 *
 * <p>A ring, which grows when more FIFOs wait than ever before.
 */
final class DemandQueue {
    /** Places of a new ring, a power of two. */
    static final int CAPACITY = 16;

    /** More attempts of others than pass until an active FIFO looks for room again. */
    private static final int PATIENCE = 4096;

    private @Nullable InjectionFifoConsumer @Nullable [] waiting;
    private int head;
    private int tail;

    /** Attempts of others since the first one has looked for room. */
    private int deferrals;

    /** Returns true if a FIFO may take room that there is. */
    boolean isTurn(InjectionFifoConsumer fifo) {
        while (head != tail) {
            final InjectionFifoConsumer first = at(head);
            if (fifo.equals(first)) {
                deferrals = 0;
                return true;
            }
            // One that no longer looks for room must not hold the others.
            if (first != null && first.isServed() && ++deferrals <= PATIENCE) {
                return false;
            }
            remove();
        }
        return true;
    }

    /** Records that a FIFO has found no room, or that it was not its turn. */
    void await(InjectionFifoConsumer fifo) {
        @Nullable InjectionFifoConsumer[] all = waiting;
        if (all == null) {
            all = new InjectionFifoConsumer[CAPACITY];
            waiting = all;
        }
        for (int i = head; i != tail; i++) {
            if (fifo.equals(all[i & (all.length - 1)])) {
                return;
            }
        }
        if (tail - head == all.length) {
            all = grow(all);
        }
        all[tail++ & (all.length - 1)] = fifo;
    }

    private @Nullable InjectionFifoConsumer[] grow(@Nullable InjectionFifoConsumer[] full) {
        final @Nullable InjectionFifoConsumer[] larger = new InjectionFifoConsumer[2 * full.length];
        for (int i = head; i != tail; i++) {
            larger[i & (larger.length - 1)] = full[i & (full.length - 1)];
        }
        waiting = larger;
        return larger;
    }

    /** Records that a FIFO, whose turn it is, has taken its room or no longer needs it. */
    void served(InjectionFifoConsumer fifo) {
        if (head != tail && fifo.equals(at(head))) {
            remove();
        }
    }

    private void remove() {
        final @Nullable InjectionFifoConsumer[] all = waiting;
        if (all != null) {
            all[head++ & (all.length - 1)] = null;
        }
        deferrals = 0;
    }

    private @Nullable InjectionFifoConsumer at(int position) {
        final @Nullable InjectionFifoConsumer[] all = waiting;
        return all == null ? null : all[position & (all.length - 1)];
    }
}
