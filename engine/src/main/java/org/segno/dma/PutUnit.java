package org.segno.dma;

import org.segno.descriptor.Descriptor;
import org.segno.fifo.InjectionFifoConsumer;
import org.segno.landing.Landing;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;
import org.segno.memory.WindowArena;
import org.segno.status.Refusal;

/**
 * Carries out PUTs. One thread, the engine's.
 *
 * <p>A PUT that goes on where the last one ended, same target and counters, same source window, belongs to its <em>run</em>: it
 * costs two range checks and the copy, and the whole run is counted down by one atomic add. Whoever leaves the FIFO or carries out
 * anything else closes the run first.
 */
final class PutUnit {
    private static final long NO_RUN = -1;

    private final Memory memory;
    private final Memory arena;
    private final WindowArena windows;
    private final Targets targets;
    private final Visit visit;

    private long runHead = NO_RUN;
    private long runTarget;
    private long runSource;
    private Landing landing;
    private long windowBase;
    private long windowLength;
    private long runBytes;

    PutUnit(NodeMemory node, WindowArena windows, Targets targets, Visit visit) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.windows = windows;
        this.targets = targets;
        this.visit = visit;
        this.landing = targets.self();
    }

    /** Opens a run with this descriptor. */
    int start(long slot, long head) {
        final int rank = (int) (head >>> 32);
        final int flags = (int) (head >>> 8) & 0xFF;
        final Landing to = targets.landing(rank);
        if (to == null) {
            return targets.missing(rank);
        }
        if ((flags & ~Descriptor.ALTERNATE) != 0) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long source = memory.getLong(slot + Descriptor.SOURCE_WINDOW_OFFSET);
        final long length = windows.length((int) source);
        if (length == WindowArena.NO_WINDOW) {
            return Refusal.NO_SUCH_WINDOW.code();
        }
        if (!targets.isInjectionCounter((int) (source >>> 32))) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final int opened = to.open((int) target + visit.alternation(flags), (int) (target >>> 32));
        if (opened != Landing.LANDED) {
            return opened;
        }
        runHead = head;
        runTarget = target;
        runSource = source;
        if (!to.equals(landing)) {
            landing = to;
        }
        windowBase = windows.base((int) source);
        windowLength = length;
        runBytes = 0;
        return proceed(slot);
    }

    /**
     * Carries out the short PUTs from {@code position} on that belong to the open run. A loop without calls: everything that
     * does not change stays in registers.
     *
     * @return the position of the first descriptor that is left: {@link #proceed} or {@code start} says what it is
     */
    long run(InjectionFifoConsumer fifo, long position, long end) {
        final long head = runHead;
        final long target = runTarget;
        final long source = runSource;
        final Landing to = landing;
        final long base = windowBase;
        final long limit = windowLength;
        final long quantum = visit.quantumBytes;
        long bytes = 0;
        long next = position;
        while (next != end) {
            final long slot = fifo.slot(next);
            if (memory.getLong(slot) != head
                    || memory.getLong(slot + Descriptor.TARGET_OFFSET) != target
                    || memory.getLong(slot + Descriptor.SOURCE_WINDOW_OFFSET) != source) {
                break;
            }
            final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
            final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
            final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
            final boolean ordinary = length >= 0
                    && length <= Math.min(Memory.SHORT_COPY_LIMIT, quantum - bytes)
                    && sourceOffset >= 0
                    && sourceOffset <= limit - length
                    && to.admits(targetOffset, length);
            if (!ordinary) {
                break;
            }
            to.landShort(arena, base + sourceOffset, targetOffset, (int) length);
            bytes += length;
            next++;
        }
        runBytes += bytes;
        visit.moved(bytes);
        return next;
    }

    /** True if the descriptor belongs to the open run. */
    boolean continues(long slot, long head) {
        // The word of no run can stand in a slot too, where anything can stand.
        return head == runHead
                && head != NO_RUN
                && memory.getLong(slot + Descriptor.TARGET_OFFSET) == runTarget
                && memory.getLong(slot + Descriptor.SOURCE_WINDOW_OFFSET) == runSource;
    }

    boolean isOpen() {
        return runHead != NO_RUN;
    }

    /** Carries out a descriptor of the open run. */
    int proceed(long slot) {
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        if ((sourceOffset | length) < 0 || sourceOffset > windowLength - length) {
            return (length < 0 ? Refusal.BAD_LENGTH : Refusal.SOURCE_OUT_OF_BOUNDS).code();
        }
        // The whole range or nothing of it: a message that does not fit is refused before its first byte.
        if (!landing.admits(targetOffset, length)) {
            return Refusal.TARGET_OUT_OF_BOUNDS.code();
        }
        if (length > visit.quantumBytes || visit.partialBytes != 0) {
            return landPart(sourceOffset, targetOffset, length);
        }
        landing.land(arena, windowBase + sourceOffset, targetOffset, length);
        runBytes += length;
        visit.moved(length);
        return Landing.LANDED;
    }

    /** A message longer than what is left of the quantum: lands as much, and the rest in later visits. */
    private int landPart(long sourceOffset, long targetOffset, long length) {
        final long done = visit.partialBytes;
        final long part = Math.min(length - done, visit.quantumBytes);
        landing.land(arena, windowBase + sourceOffset + done, targetOffset + done, part);
        runBytes += part;
        visit.moved(part);
        return visit.part(done + part, length);
    }

    /** Counts the open run, if any, down at both ends, after its payload is in memory. */
    void close() {
        if (runHead != NO_RUN) {
            runHead = NO_RUN;
            landing.close(runBytes);
            targets.injected((int) (runSource >>> 32), runBytes);
        }
    }
}
