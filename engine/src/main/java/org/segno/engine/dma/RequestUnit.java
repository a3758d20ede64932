package org.segno.engine.dma;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.landing.Landing;
import org.segno.engine.landing.PendingRequests;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.status.Refusal;

/**
 * Executor of descriptors that a linked peer answers: REMOTE_GET and RMW. A part of {@link TransmitUnit}, used only by
 * the engine's thread.
 */
final class RequestUnit {
    private static final int GET_FLAGS = Descriptor.ALTERNATE | Descriptor.INTO_COUNTER | Descriptor.ALTERNATE_LANDING;

    private final Memory memory;
    private final LocalOperand operand;
    private final Targets targets;
    private final Visit visit;
    private final int stream;

    RequestUnit(NodeMemory node, WindowTable windows, Targets targets, Visit visit, int stream) {
        this.memory = node.owner();
        this.operand = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
        this.stream = stream;
    }

    /** Requests bytes of the peer. */
    int get(LinkPort port, long slot, long head) {
        final long place = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long placeOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final int injectionCounter = Descriptor.injectionCounter(place);
        if (!Descriptor.hasOnly(head, GET_FLAGS)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final boolean intoCounter = Descriptor.has(head, Descriptor.INTO_COUNTER);
        final int checked = intoCounter
                ? checkLanding(placeOffset, length, injectionCounter)
                : operand.checkSource(targets, head, place, placeOffset, length);
        if (checked != Landing.LANDED) {
            return checked;
        }
        final int request = port.hasRoom(stream, 1, visit.fifo())
                ? port.requests().open(PacketKind.GET_DATA, visit.fifo(), injectionCounter, length)
                : -1;
        if (request < 0) {
            return Landing.NO_ROOM;
        }
        if (intoCounter) {
            final int incarnation = memory.getInt(slot + Descriptor.OPERAND_OFFSET);
            port.requests().intoCounter(request, visit.landingCounter(head, place), incarnation, placeOffset);
        } else {
            port.requests().intoArena(request, operand.base() + placeOffset);
        }
        final Packet packet =
                port.claim(stream, PacketKind.GET, Packet.FIRST, Long.BYTES).request(request);
        TransmitUnit.target(packet, memory, visit, slot, head, memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET));
        packet.memory().putLong(packet.payload(), length);
        port.publishRequest(stream);
        return Landing.LANDED;
    }

    /** Validates the range. The counter itself is validated when data land there. */
    private int checkLanding(long offset, long length, int injectionCounter) {
        if ((offset | length | offset + length) < 0) {
            return (length < 0 ? Refusal.BAD_LENGTH : Refusal.SOURCE_OUT_OF_BOUNDS).code();
        }
        return targets.isInjectionCounter(injectionCounter) ? Landing.LANDED : Refusal.NO_SUCH_COUNTER.code();
    }

    /** Requests an atomic change at the peer. */
    int change(LinkPort port, long slot, long head) {
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long resultOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final int resultWindow = Descriptor.window(source);
        final int injectionCounter = Descriptor.injectionCounter(source);
        if (!Descriptor.hasOnly(head, Descriptor.ALTERNATE)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final int checked = RmwUnit.checkResult(operand, resultWindow, resultOffset);
        if (checked != Landing.LANDED) {
            return checked;
        }
        if (!targets.isInjectionCounter(injectionCounter)) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final long resultBase = operand.base();
        final int request = port.hasRoom(stream, 1, visit.fifo())
                ? port.requests().open(PacketKind.RMW_RESULT, visit.fifo(), injectionCounter, Long.BYTES)
                : -1;
        if (request < 0) {
            return Landing.NO_ROOM;
        }
        port.requests()
                .intoArena(
                        request,
                        resultWindow == Descriptor.NO_WINDOW ? PendingRequests.NOWHERE : resultBase + resultOffset);
        final Packet packet =
                port.claim(stream, PacketKind.RMW, Packet.FIRST, 3 * Long.BYTES).request(request);
        TransmitUnit.target(packet, memory, visit, slot, head, memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET));
        final Memory to = packet.memory();
        to.putLong(packet.payload(), memory.getByte(slot + Descriptor.LENGTH_OFFSET));
        to.putLong(packet.payload() + Long.BYTES, memory.getLong(slot + Descriptor.OPERAND_OFFSET));
        to.putLong(packet.payload() + 2 * Long.BYTES, memory.getLong(slot + Descriptor.COMPARAND_OFFSET));
        port.publishRequest(stream);
        return Landing.LANDED;
    }
}
