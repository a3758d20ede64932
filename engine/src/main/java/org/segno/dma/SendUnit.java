package org.segno.dma;

import org.jspecify.annotations.Nullable;
import org.segno.descriptor.Descriptor;
import org.segno.descriptor.Operation;
import org.segno.fifo.InjectionFifoConsumer;
import org.segno.fifo.ReceptionFifoProducer;
import org.segno.landing.Landing;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;
import org.segno.memory.WindowArena;
import org.segno.memory.WindowTable;
import org.segno.status.Refusal;

/**
 * Executor of SENDs, one record each in the target context's lane. Successive SENDs to the same context are a
 * <em>run</em>, which is published as one batch. Used only by the engine's thread.
 */
final class SendUnit {
    private static final long NO_LANE = -1;
    private static final long NO_METADATA = -1;

    private final Memory memory;
    private final Memory arena;
    private final WindowTable windows;
    private final Targets targets;
    private final Visit visit;

    private Landing landing;
    private @Nullable ReceptionFifoProducer lane;
    private long laneTarget = NO_LANE;
    private boolean metadataInWindow;

    SendUnit(NodeMemory node, WindowTable windows, Targets targets, Visit visit) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.windows = windows;
        this.targets = targets;
        this.visit = visit;
        this.landing = targets.self();
    }

    /**
     * Carries out the run of SENDs that begins at {@code first}, and publishes it.
     *
     * @return the position of the first remaining descriptor; {@link Visit#answer} is the reason if the run had to stop
     *     there
     */
    long run(InjectionFifoConsumer fifo, long first, long end) {
        final long slot = fifo.slot(first);
        final long key = key(memory.getLong(slot), memory.getLong(slot + Descriptor.TARGET_OFFSET));
        final int found = findLane(key);
        final ReceptionFifoProducer to = lane;
        if (found != Landing.LANDED || to == null) {
            return visit.stop(first, found);
        }
        final long head = Descriptor.head(Operation.SEND, Descriptor.IMMEDIATE, (int) (key >>> 32));
        final long context = key & 0xFFFF;
        final long quantum = visit.quantumBytes;
        long bytes = 0;
        long next = first;
        // Immediate sends go in a loop without calls, so that everything that does not change stays in registers.
        while (next != end && bytes < quantum) {
            final long at = fifo.slot(next);
            final long target = memory.getLong(at + Descriptor.TARGET_OFFSET);
            final int metadataLength = (int) (target >>> 32) & 0xFF;
            final int length = metadataLength + ((int) (target >>> 40) & 0xFF);
            if (memory.getLong(at) != head
                    || ((target >>> 16) & 0xFFFF) != context
                    || metadataLength > Descriptor.MAX_METADATA_LENGTH
                    || length > Descriptor.MAX_IMMEDIATE_LENGTH
                    || !to.tryAppend(
                            memory, at + Descriptor.INLINE_OFFSET, length, (int) target & 0xFFFF, metadataLength)) {
                break;
            }
            bytes += length;
            next++;
        }
        visit.moved(bytes);
        if (next != end && bytes < quantum && continues(fifo.slot(next), key)) {
            next = runFromWindow(fifo, next, end, to);
            if (next != end && visit.quantumBytes > 0 && continues(fifo.slot(next), key)) {
                next = runOthers(fifo, next, end, key);
            }
        }
        to.flush();
        visit.records += next - first;
        return next;
    }

    /**
     * Continues with messages that consist only of metadata in one window. All words that determine the source and the
     * target equal those of the first one. The loop has no calls, as for immediate sends.
     */
    private long runFromWindow(InjectionFifoConsumer fifo, long first, long end, ReceptionFifoProducer to) {
        final long slot = fifo.slot(first);
        final long head = memory.getLong(slot);
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long source = memory.getLong(slot + Descriptor.SOURCE_WINDOW_OFFSET);
        final int window = memory.getInt(slot + Descriptor.METADATA_WINDOW_OFFSET);
        final int length = (int) (target >>> 32) & 0xFF;
        final long payloadLimit = windows.open((int) source);
        final long limit = windows.open(window) - length;
        final boolean ordinary = (((int) head >>> 8) & 0xFF) == Descriptor.METADATA_WINDOW
                && (int) (source >>> 32) == Descriptor.NO_COUNTER
                && length <= Descriptor.MAX_METADATA_LENGTH
                && payloadLimit >= 0
                && limit >= 0;
        final long base = windows.base();
        final long quantum = visit.quantumBytes;
        long bytes = 0;
        long next = first;
        while (ordinary && next != end && bytes < quantum) {
            final long at = fifo.slot(next);
            final long sourceOffset = memory.getLong(at + Descriptor.SOURCE_OFFSET_OFFSET);
            final long offset = memory.getLong(at + Descriptor.METADATA_OFFSET_OFFSET);
            if (memory.getLong(at) != head
                    || memory.getLong(at + Descriptor.TARGET_OFFSET) != target
                    || memory.getLong(at + Descriptor.SOURCE_WINDOW_OFFSET) != source
                    || memory.getInt(at + Descriptor.METADATA_WINDOW_OFFSET) != window
                    || memory.getLong(at + Descriptor.LENGTH_OFFSET) != 0
                    || ((sourceOffset | offset) < 0 || sourceOffset > payloadLimit || offset > limit)
                    || !to.tryAppend(arena, base + offset, length, (int) target & 0xFFFF, length)) {
                break;
            }
            bytes += length;
            next++;
        }
        visit.moved(bytes);
        return next;
    }

    /** Continues a run in which some SEND is not immediate, finds no room or is refused. */
    private long runOthers(InjectionFifoConsumer fifo, long first, long end, long key) {
        long next = first;
        while (next != end && visit.quantumBytes > 0 && continues(fifo.slot(next), key)) {
            visit.answer = send(fifo.slot(next));
            if (visit.answer != Landing.LANDED) {
                break;
            }
            next++;
        }
        return next;
    }

    /** Returns the key of a lane: the rank in the upper half, the context in the lower half. */
    private static long key(long head, long target) {
        return (head & 0xFFFF_FFFF_0000_0000L) | ((target >>> 16) & 0xFFFF);
    }

    private boolean continues(long slot, long key) {
        final long head = memory.getLong(slot);
        return ((int) head & 0xFF) == Operation.SEND
                && key(head, memory.getLong(slot + Descriptor.TARGET_OFFSET)) == key;
    }

    /** Finds the lane of a run. Also checks that the target is alive, once per run. */
    private int findLane(long key) {
        if (key == laneTarget) {
            return landing.isDead() ? Refusal.PEER_DEAD.code() : Landing.LANDED;
        }
        final int rank = (int) (key >>> 32);
        final int context = (int) key & 0xFFFF;
        final Landing found = targets.landing(rank);
        if (found == null) {
            return targets.missing(rank);
        }
        if (context >= found.contexts()) {
            return Refusal.NO_SUCH_CONTEXT.code();
        }
        landing = found;
        lane = found.lane(context);
        laneTarget = key;
        return found.isDead() ? Refusal.PEER_DEAD.code() : Landing.LANDED;
    }

    /** Carries out a SEND of any form. */
    private int send(long slot) {
        final ReceptionFifoProducer to = lane;
        final int flags = (int) (memory.getLong(slot) >>> 8) & 0xFF;
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final int metadataLength = (int) (target >>> 32) & 0xFF;
        if (to == null || metadataLength > Descriptor.MAX_METADATA_LENGTH) {
            return Refusal.BAD_LENGTH.code();
        }
        if (flags == Descriptor.IMMEDIATE) {
            return sendImmediate(slot, target, to, metadataLength);
        }
        return (flags & ~Descriptor.METADATA_WINDOW) == 0
                ? sendWindow(slot, target, to, metadataLength)
                : Refusal.UNKNOWN_OPERATION.code();
    }

    private int sendImmediate(long slot, long target, ReceptionFifoProducer to, int metadataLength) {
        final int length = metadataLength + ((int) (target >>> 40) & 0xFF);
        if (length > Descriptor.MAX_IMMEDIATE_LENGTH) {
            return Refusal.BAD_LENGTH.code();
        }
        if (!to.tryAppend(memory, slot + Descriptor.INLINE_OFFSET, length, (int) target & 0xFFFF, metadataLength)) {
            return landing.noRoom();
        }
        visit.moved(length);
        return Landing.LANDED;
    }

    /**
     * Returns the offset of the metadata. They lie in the descriptor, or in a window if {@link #metadataInWindow} is
     * set.
     */
    private long metadata(long slot, int length) {
        metadataInWindow = ((int) (memory.getLong(slot) >>> 8) & Descriptor.METADATA_WINDOW) != 0;
        if (!metadataInWindow) {
            return slot + Descriptor.INLINE_OFFSET;
        }
        final int window = memory.getInt(slot + Descriptor.METADATA_WINDOW_OFFSET);
        final long offset = memory.getLong(slot + Descriptor.METADATA_OFFSET_OFFSET);
        final long limit = windows.open(window) - length;
        return offset >= 0 && offset <= limit ? windows.base() + offset : NO_METADATA;
    }

    private int sendWindow(long slot, long target, ReceptionFifoProducer to, int metadataLength) {
        final long source = memory.getLong(slot + Descriptor.SOURCE_WINDOW_OFFSET);
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final long windowLength = windows.open((int) source);
        final long payload = windows.base() + sourceOffset;
        final int injectionCounter = (int) (source >>> 32);
        if (windowLength == WindowArena.NO_WINDOW) {
            return Refusal.NO_SUCH_WINDOW.code();
        }
        if ((sourceOffset | length) < 0 || sourceOffset > windowLength - length) {
            return (length < 0 ? Refusal.BAD_LENGTH : Refusal.SOURCE_OUT_OF_BOUNDS).code();
        }
        if (length > to.maxBodyLength() - metadataLength) {
            return Refusal.TOO_LONG.code();
        }
        if (!targets.isInjectionCounter(injectionCounter)) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final long metadata = metadata(slot, metadataLength);
        if (metadata == NO_METADATA) {
            return Refusal.SOURCE_OUT_OF_BOUNDS.code();
        }
        final long body = to.claim((int) length + metadataLength);
        if (body < 0) {
            return landing.noRoom();
        }
        (metadataInWindow ? arena : memory).copyTo(metadata, to.memory(), body, metadataLength);
        arena.copyTo(payload, to.memory(), body + metadataLength, length);
        to.publish((int) target & 0xFFFF, metadataLength);
        visit.moved(length);
        targets.injected(injectionCounter, length);
        return Landing.LANDED;
    }
}
