package org.segno.engine.dma;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.packet.Packet;

/**
 * Flags of the packets that a rank sends. By them the receiver decides when it acknowledges: see
 * {@link Acknowledgement}. Used only by the engine's thread.
 */
final class PacketFlags {
    /** Slots of a FIFO that last until an acknowledgement has come, for short messages between processes of a host. */
    private static final int LASTING_SLOTS = 256;

    private final Memory memory;
    private final Visit visit;

    /** Position of the descriptor that is carried out, and the end of those that may follow it now. */
    private long position;

    private long end;

    PacketFlags(NodeMemory node, Visit visit) {
        this.memory = node.owner();
        this.visit = visit;
    }

    /** Begins the packets of the descriptor at {@code position}, which those before {@code end} may follow. */
    void begin(long position, long end) {
        this.position = position;
        this.end = end;
    }

    /** Begins packets that those of the next descriptor do not follow, because it may be for another rank. */
    void beginAlone() {
        begin(0, 1);
    }

    /** Returns the flags of a part of a message, of which {@code done} bytes have been sent. */
    int part(long done, boolean isLast, int injectionCounter) {
        return (done == 0 ? Packet.FIRST : 0) | (isLast ? last(injectionCounter, 1) : Packet.MORE);
    }

    /**
     * Returns the flags of the last packet of {@code count} descriptors. It has {@link Packet#MORE} if the next
     * descriptor is for the same rank. Otherwise it has {@link Packet#AWAITED} if it completes an injection counter or
     * belongs to a pattern, because the application probably waits for that. In a FIFO without patterns one packet of
     * each quarter or half has it, too: its acknowledgement frees the slots.
     */
    int last(int injectionCounter, int count) {
        final InjectionFifoConsumer fifo = visit.fifo();
        final long next = position + count;
        final boolean isFollowed = next != end && isFollowedBy(fifo, next);
        final boolean isRun = fifo.hasRuns();
        final boolean isCounted = isRun || injectionCounter != Descriptor.NO_COUNTER;
        final boolean endsPart = !isRun && ((position ^ next) & -slotsOfPart(fifo)) != 0;
        return (isFollowed ? Packet.MORE : 0) | (endsPart || (isCounted && !isFollowed) ? Packet.AWAITED : 0);
    }

    /** Returns the slots of a half of a FIFO if the other half lasts for long, otherwise those of a quarter. */
    private static long slotsOfPart(InjectionFifoConsumer fifo) {
        final long slots = fifo.mask() + 1;
        return slots / 2 >= LASTING_SLOTS ? slots / 2 : Math.max(1, slots / 4);
    }

    private boolean isFollowedBy(InjectionFifoConsumer fifo, long next) {
        final long head = memory.getLong(fifo.slot(next));
        return Descriptor.rank(head) == Descriptor.rank(memory.getLong(fifo.slot(position)))
                && switch (Descriptor.operation(head)) {
                    case Operation.PUT, Operation.SEND, Operation.COUNT -> true;
                    default -> false;
                };
    }
}
