package org.segno.engine.dma;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.landing.Landing;

/**
 * State of one visit of the engine to a FIFO: the rest of its quantum, and the completed work. Used only by the
 * engine's thread.
 */
final class Visit {
    /** Result when the quantum ended within a descriptor, which the next visit continues. */
    static final int PARTIAL = 1;

    /** Result for a WAIT while its counter is above its value. */
    static final int HELD = 2;

    /** Value of {@link #heldBy} when the FIFO has no WAIT at its head. */
    static final long NOT_HELD = -1;

    /** Value of {@link #extraLooks}: each WAIT of the run reads its counter once, and holds unless it is met. */
    static final int LOOK_ONCE = -1;

    /** Further looks at counters before a WAIT holds. They take less than two passes, and less than a yield. */
    private static final int LOOKS = 4;

    /** Number of bytes that may still be moved. */
    long quantumBytes;

    /** Number of bytes in packets over links. */
    long sentBytes;

    /** Number of published records. */
    long records;

    /**
     * Progress of the descriptor at the head in an earlier visit: moved bytes or, for a MULTICAST, targets passed. It
     * is zero for every later descriptor.
     */
    long partialBytes;

    /** Reason for which a run of descriptors has stopped at one of its own kind, or {@link Landing#LANDED}. */
    int result;

    /** Offset of the counter's value that the WAIT at the head waits for, or {@link #NOT_HELD}. */
    long heldBy;

    /** Maximum value of that word at which the wait ends. */
    long heldLimit;

    /** Number of looks that WAITs may still take. */
    int looks;

    /** Looks that the WAITs of a run may take beside these, or {@link #LOOK_ONCE}. */
    int extraLooks;

    /** True if the run has stayed at a WAIT in an earlier visit. */
    boolean hasStayed;

    private @Nullable InjectionFifoConsumer visited;
    private int alternate;

    void begin(InjectionFifoConsumer fifo) {
        visited = fifo;
        quantumBytes = fifo.service().quantumBytes();
        records = 0;
        sentBytes = 0;
    }

    /**
     * Begins or continues a section: loads its generation and the progress of its first descriptor in an earlier visit.
     */
    void load(InjectionFifoConsumer fifo) {
        alternate = (int) fifo.generation() & 1;
        partialBytes = fifo.partialBytes();
        heldBy = NOT_HELD;
        looks = fifo.looks(LOOKS);
        hasStayed = looks != 0 && looks != LOOKS;
        looks = extraLooks == LOOK_ONCE ? 0 : looks + extraLooks;
    }

    /** Returns true if the mask of the visited FIFO excludes a target, which is linked or lies in mapped memory. */
    boolean excludes(boolean isLinked) {
        final InjectionFifoConsumer fifo = visited;
        return fifo != null && fifo.service().excludes(isLinked);
    }

    /**
     * Returns the origin of the messages: the context of the FIFO, in its present use. Only records need it, so it is
     * not read for visits without any.
     */
    int origin() {
        final InjectionFifoConsumer fifo = visited;
        return fifo == null ? 0 : fifo.service().origin();
    }

    /** Returns true if the client of the FIFO's context is being closed, so that its threads inject nothing more. */
    boolean isClosing() {
        final InjectionFifoConsumer fifo = visited;
        return fifo != null && fifo.service().isClosing();
    }

    /** Stops at {@code position} for a reason. */
    long stop(long position, int why) {
        result = why;
        return position;
    }

    /** Returns the visited FIFO. Called during a visit. */
    InjectionFifoConsumer fifo() {
        return Objects.requireNonNull(visited);
    }

    /** Records that the descriptor at the head waits for a counter's value. */
    void held(long valueOffset, long limit) {
        heldBy = valueOffset;
        heldLimit = limit;
    }

    /** Records bytes in packets over a link, which metrics count when they have landed. */
    void sent(long bytes) {
        quantumBytes -= bytes;
        sentBytes += bytes;
    }

    void moved(long bytes) {
        quantumBytes -= bytes;
    }

    /** Returns the id of the counter of a descriptor in this round, from its head and its target word. */
    int counter(long head, long target) {
        return Descriptor.counter(target) + Descriptor.alternate(head) * alternate;
    }

    /** Returns 1 in odd rounds, otherwise 0. */
    int alternate() {
        return alternate;
    }

    /** Returns 1 if a head has the flag and the round is odd, otherwise 0. */
    int alternate(long head, int flag) {
        return Descriptor.has(head, flag) ? alternate : 0;
    }

    /** Returns the id of the landing counter of a REMOTE_GET in this round, from its head and its source word. */
    int landingCounter(long head, long place) {
        final int counter = Descriptor.landingCounter(place);
        return Descriptor.has(head, Descriptor.ALTERNATE_LANDING) ? counter + alternate : counter;
    }

    /**
     * Records the progress of the descriptor at the head, and returns {@link Landing#LANDED} if it is complete or else
     * {@link #PARTIAL}.
     */
    int part(long done, long length) {
        final boolean complete = done == length;
        partialBytes = complete ? 0 : done;
        return complete ? Landing.LANDED : PARTIAL;
    }
}
