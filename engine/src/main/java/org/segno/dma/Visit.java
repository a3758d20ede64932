package org.segno.dma;

import org.segno.descriptor.Descriptor;
import org.segno.fifo.InjectionFifoConsumer;
import org.segno.landing.Landing;

/** One visit of the engine to a FIFO: what is left of its quantum, and what has been done. One thread, the engine's. */
final class Visit {
    /** The quantum ended within a descriptor: it goes on in the next visit. */
    static final int PARTIAL = 1;

    /** The descriptor is a WAIT whose counter is still above its value. */
    static final int HELD = 2;

    /** No WAIT stands at the head. */
    static final long NOT_HELD = -1;

    /** Bytes that may still be moved. */
    long quantumBytes;

    /** Records published. */
    long records;

    /** Bytes of the descriptor at the head that have been moved already, of a MULTICAST targets passed; zero for every later one. */
    long partialBytes;

    /** Why a run of descriptors has stopped at one of its own kind, or {@link Landing#LANDED}. */
    int answer;

    /** The word that the WAIT at the head waits for, in the peers' half, or {@link #NOT_HELD}. */
    long heldBy;

    /** At or below which that word must be. */
    long heldLimit;

    private int alternate;

    void begin(InjectionFifoConsumer fifo) {
        quantumBytes = fifo.service().quantumBytes();
        records = 0;
    }

    /** Begins a section, or goes on in one: its generation and what an earlier visit has moved of its first descriptor. */
    void load(InjectionFifoConsumer fifo) {
        alternate = (int) fifo.generation() & 1;
        partialBytes = fifo.partialBytes();
        heldBy = NOT_HELD;
    }

    /** Stops at {@code position}, for a reason. */
    long stop(long position, int why) {
        answer = why;
        return position;
    }

    /** The descriptor at the head waits for a word of the peers' half. */
    void held(long valueOffset, long limit) {
        heldBy = valueOffset;
        heldLimit = limit;
    }

    void moved(long bytes) {
        quantumBytes -= bytes;
    }

    /** What a descriptor with these flags adds to its counter id in this round. */
    int alternation(int flags) {
        return (flags & Descriptor.ALTERNATE) * alternate;
    }

    /** What a REMOTE_GET with these flags adds to the id of the counter at which it lands. */
    int alternationOfLanding(int flags) {
        return (flags & Descriptor.ALTERNATE_LANDING) == 0 ? 0 : alternate;
    }

    /** A part of the descriptor at the head has been moved: answers whether that was all. */
    int part(long done, long length) {
        final boolean complete = done == length;
        partialBytes = complete ? 0 : done;
        return complete ? Landing.LANDED : PARTIAL;
    }
}
