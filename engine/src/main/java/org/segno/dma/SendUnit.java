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
import org.segno.status.Refusal;

/** Carries out SENDs: one record each in the target context's lane. One thread, the engine's. */
final class SendUnit {
    private final Memory memory;
    private final Memory arena;
    private final WindowArena windows;
    private final Targets targets;
    private final Visit visit;

    private @Nullable ReceptionFifoProducer lane;
    private long laneTarget;
    private boolean isOpen;

    SendUnit(NodeMemory node, WindowArena windows, Targets targets, Visit visit) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.windows = windows;
        this.targets = targets;
        this.visit = visit;
    }

    /** Hands over what has been sent: before anything else is carried out, and before the FIFO is left. */
    void flush() {
        if (isOpen && lane != null) {
            lane.flush();
        }
        isOpen = false;
    }

    /**
     * Carries out the immediate SENDs from {@code position} on that go where the last one went.
     *
     * @return the position of the first descriptor that is left: {@link #send} says what it is
     */
    long run(InjectionFifoConsumer fifo, long position, long end) {
        final ReceptionFifoProducer to = lane;
        if (to == null || !isOpen) {
            return position;
        }
        final long head = Descriptor.head(Operation.SEND, Descriptor.IMMEDIATE, (int) (laneTarget >>> 32));
        final long context = laneTarget & 0xFFFF;
        final long quantum = visit.quantumBytes;
        long bytes = 0;
        long next = position;
        while (next != end && bytes < quantum) {
            final long slot = fifo.slot(next);
            final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
            final int metadataLength = (int) (target >>> 32) & 0xFF;
            final int length = metadataLength + ((int) (target >>> 40) & 0xFF);
            if (memory.getLong(slot) != head
                    || ((target >>> 16) & 0xFFFF) != context
                    || metadataLength > Descriptor.MAX_METADATA_LENGTH
                    || length > Descriptor.MAX_IMMEDIATE_LENGTH
                    || !to.tryAppend(
                            memory, slot + Descriptor.INLINE_OFFSET, length, (int) target & 0xFFFF, metadataLength)) {
                break;
            }
            bytes += length;
            next++;
        }
        visit.records += next - position;
        visit.moved(bytes);
        return next;
    }

    int send(long slot, long head) {
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        // Rank in the upper half, context in the lower: what decides the lane.
        final long laneKey = (head & 0xFFFF_FFFF_0000_0000L) | ((target >>> 16) & 0xFFFF);
        if (!isOpen || laneKey != laneTarget) {
            final int found = findLane(laneKey);
            if (found != Landing.LANDED) {
                return found;
            }
        }
        final ReceptionFifoProducer to = lane;
        final int metadataLength = (int) (target >>> 32) & 0xFF;
        if (to == null || metadataLength > Descriptor.MAX_METADATA_LENGTH) {
            return Refusal.BAD_LENGTH.code();
        }
        final int flags = (int) (head >>> 8) & 0xFF;
        if (flags == Descriptor.IMMEDIATE) {
            return sendImmediate(slot, target, to, metadataLength);
        }
        return flags == 0 ? sendWindow(slot, target, to, metadataLength) : Refusal.UNKNOWN_OPERATION.code();
    }

    /** Also looks whether the target lives, once per visit. */
    private int findLane(long laneKey) {
        flush();
        final int rank = (int) (laneKey >>> 32);
        final int context = (int) laneKey & 0xFFFF;
        final Landing landing = targets.landing(rank);
        if (landing == null) {
            return targets.missing(rank);
        }
        if (context >= landing.contexts()) {
            return Refusal.NO_SUCH_CONTEXT.code();
        }
        if (landing.isDead()) {
            return Refusal.PEER_DEAD.code();
        }
        isOpen = true;
        if (laneKey != laneTarget || lane == null) {
            lane = landing.lane(context);
            laneTarget = laneKey;
        }
        return Landing.LANDED;
    }

    private int sendImmediate(long slot, long target, ReceptionFifoProducer to, int metadataLength) {
        final int length = metadataLength + ((int) (target >>> 40) & 0xFF);
        if (length > Descriptor.MAX_IMMEDIATE_LENGTH) {
            return Refusal.BAD_LENGTH.code();
        }
        if (!to.tryAppend(memory, slot + Descriptor.INLINE_OFFSET, length, (int) target & 0xFFFF, metadataLength)) {
            return noRoom();
        }
        visit.records++;
        visit.moved(length);
        return Landing.LANDED;
    }

    private int sendWindow(long slot, long target, ReceptionFifoProducer to, int metadataLength) {
        final long source = memory.getLong(slot + Descriptor.SOURCE_WINDOW_OFFSET);
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final long windowLength = windows.length((int) source);
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
        final long body = to.claim((int) length + metadataLength);
        if (body < 0) {
            return noRoom();
        }
        memory.copyTo(slot + Descriptor.INLINE_OFFSET, to.memory(), body, metadataLength);
        arena.copyTo(windows.base((int) source) + sourceOffset, to.memory(), body + metadataLength, length);
        to.publish((int) target & 0xFFFF, metadataLength);
        visit.records++;
        visit.moved(length);
        targets.injected(injectionCounter, length);
        return Landing.LANDED;
    }

    private int noRoom() {
        final Landing landing = targets.landing((int) (laneTarget >>> 32));
        return landing == null ? Landing.NO_ROOM : landing.noRoom();
    }
}
