package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.landing.Landing;
import org.segno.engine.landing.PendingRequests;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.status.Refusal;

/**
 * Executor of descriptors for targets that are reached over a link. It sends packets. Used only by the engine's thread.
 *
 * <p>A later visit continues a message that finds no room. A SEND is split into successive packets, so it waits for
 * room for all of them. The target checks the fields that only it can check, and refuses with a reply.
 */
final class TransmitUnit {
    private static final int SOURCE_FLAGS = Descriptor.SOURCE_COUNTER | Descriptor.ALTERNATE_SOURCE;
    private static final int GET_FLAGS = Descriptor.ALTERNATE | Descriptor.INTO_COUNTER | Descriptor.ALTERNATE_LANDING;

    private final Memory memory;
    private final Memory arena;
    private final LocalOperand operand;
    private final Targets targets;
    private final Visit visit;
    private final @Nullable LinkPort[] ports;
    private final int channel;

    /** Creates the unit that sends in {@code channel}: the requests of applications, or those of their handlers. */
    TransmitUnit(
            NodeMemory node,
            WindowTable windows,
            Targets targets,
            Visit visit,
            @Nullable LinkPort[] ports,
            int channel) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.operand = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
        this.ports = ports;
        this.channel = channel;
    }

    /** Carries out the descriptor in a slot. Returns a code of {@link Landing}, or {@link Visit#PARTIAL}. */
    int execute(long slot) {
        final long head = memory.getLong(slot);
        // The rank exists: the caller has found that its memory is not mapped.
        final LinkPort port = ports[Descriptor.rank(head)];
        if (port == null) {
            return Refusal.NOT_MAPPED.code();
        }
        final int reached = port.reach();
        if (reached != Landing.LANDED) {
            return reached;
        }
        return switch (Descriptor.operation(head)) {
            case Operation.PUT -> put(port, slot, head);
            case Operation.SEND -> send(port, slot, head);
            case Operation.COUNT -> count(port, slot, head);
            case Operation.REMOTE_GET -> get(port, slot, head);
            case Operation.RMW -> change(port, slot, head);
            default -> Refusal.UNKNOWN_OPERATION.code();
        };
    }

    private int put(LinkPort port, long slot, long head) {
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final int injectionCounter = Descriptor.injectionCounter(source);
        if (!Descriptor.hasOnly(head, Descriptor.ALTERNATE | SOURCE_FLAGS)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final int checked = checkSource(head, source, sourceOffset, length);
        if (checked != Landing.LANDED) {
            return checked;
        }
        final long payload = operand.base() + sourceOffset;
        final long begun = visit.partialBytes;
        long done = begun;
        if (length < done) {
            return Refusal.BAD_LENGTH.code();
        }
        port.use(injectionCounter);
        int result = Landing.NO_ROOM;
        while (result == Landing.NO_ROOM && port.hasRoom(channel)) {
            final int part = (int) Math.min(length - done, Packet.PAYLOAD_LIMIT);
            final Packet packet = claimPart(port, PacketKind.PUT, done, injectionCounter, part);
            packet.remaining(length - done);
            target(packet, slot, head, targetOffset + done);
            arena.copyTo(payload + done, packet.memory(), packet.payload(), part);
            port.publish(channel);
            done += part;
            visit.moved(part);
            final int progress = visit.part(done, length);
            if (progress == Landing.LANDED || visit.quantumBytes <= 0) {
                result = progress;
            }
        }
        targets.injected(injectionCounter, done - begun);
        return result;
    }

    /** Claims the packet of the next part of a message, of which {@code done} bytes have been sent. */
    private Packet claimPart(LinkPort port, int kind, long done, int injectionCounter, int part) {
        return port.claim(channel, kind, done == 0 ? Packet.FIRST : 0)
                .message(injectionCounter)
                .payloadLength(part);
    }

    private void target(Packet packet, long slot, long head, long offset) {
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        packet.target(visit.counter(head, target), Descriptor.incarnation(target), offset);
    }

    /** Opens the operand in a source word, and checks the range and the injection counter. */
    private int checkSource(long head, long source, long offset, long length) {
        final int opened = operand.openSource(head, Descriptor.window(source));
        final int checked = opened == Landing.LANDED ? operand.check(offset, length) : opened;
        return checked == Landing.LANDED ? checkCounter(Descriptor.injectionCounter(source)) : checked;
    }

    private int checkCounter(int injectionCounter) {
        return targets.isInjectionCounter(injectionCounter) ? Landing.LANDED : Refusal.NO_SUCH_COUNTER.code();
    }

    private int count(LinkPort port, long slot, long head) {
        if (!Descriptor.hasOnly(head, Descriptor.ALTERNATE)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        if (!port.hasRoom(channel)) {
            return Landing.NO_ROOM;
        }
        final Packet packet =
                port.claim(channel, PacketKind.COUNT, Packet.FIRST).message(Descriptor.NO_COUNTER);
        target(packet, slot, head, memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET));
        port.publish(channel);
        return Landing.LANDED;
    }

    private int send(LinkPort port, long slot, long head) {
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final int metadataLength = Descriptor.metadataLength(target);
        if (metadataLength > Descriptor.MAX_INLINE_METADATA_LENGTH) {
            return Refusal.BAD_LENGTH.code();
        }
        if (Descriptor.hasExactly(head, Descriptor.IMMEDIATE)) {
            final int length = metadataLength + Descriptor.immediateLength(target);
            return length > Descriptor.MAX_IMMEDIATE_LENGTH
                    ? Refusal.BAD_LENGTH.code()
                    : sendBody(port, slot, 0, length, length, Descriptor.NO_COUNTER);
        }
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final int injectionCounter = Descriptor.injectionCounter(source);
        if (!Descriptor.hasOnly(head, SOURCE_FLAGS)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final long offset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final int checked = checkSource(head, source, offset, length);
        return checked == Landing.LANDED
                ? sendBody(
                        port, slot, operand.base() + offset, metadataLength, metadataLength + length, injectionCounter)
                : checked;
    }

    /**
     * Sends {@code inline} bytes of the descriptor and the rest of {@code length} from {@code payload} in the arena.
     */
    private int sendBody(LinkPort port, long slot, long payload, int inline, long length, int injectionCounter) {
        final long packets = Math.max(1, (length + Packet.PAYLOAD_LIMIT - 1) / Packet.PAYLOAD_LIMIT);
        if (packets > port.link().capacity()) {
            return Refusal.TOO_LONG.code();
        }
        if (port.link().room(channel) < packets) {
            return Landing.NO_ROOM;
        }
        port.use(injectionCounter);
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        for (long done = 0; done == 0 || done < length; done += Packet.PAYLOAD_LIMIT) {
            final int part = (int) Math.min(length - done, Packet.PAYLOAD_LIMIT);
            final int first = done == 0 ? inline : 0;
            final Packet packet = claimPart(port, PacketKind.SEND, done, injectionCounter, part)
                    .remaining(length)
                    .body(Descriptor.dispatchId(target), Descriptor.context(target), Descriptor.metadataLength(target))
                    .part((int) done, visit.origin());
            memory.copyTo(slot + Descriptor.INLINE_OFFSET, packet.memory(), packet.payload(), first);
            if (part > first) {
                arena.copyTo(payload + done + first - inline, packet.memory(), packet.payload() + first, part - first);
            }
            port.publish(channel);
        }
        visit.moved(length);
        targets.injected(injectionCounter, length - inline);
        return Landing.LANDED;
    }

    private int get(LinkPort port, long slot, long head) {
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
                : checkSource(head, place, placeOffset, length);
        if (checked != Landing.LANDED) {
            return checked;
        }
        final int request =
                port.hasRoom(channel) ? port.requests().open(PacketKind.GET_DATA, injectionCounter, length) : -1;
        if (request < 0) {
            return Landing.NO_ROOM;
        }
        if (intoCounter) {
            final int incarnation = memory.getInt(slot + Descriptor.OPERAND_OFFSET);
            port.requests().intoCounter(request, visit.landingCounter(head, place), incarnation, placeOffset);
        } else {
            port.requests().intoArena(request, operand.base() + placeOffset);
        }
        final Packet packet = port.claim(channel, PacketKind.GET, Packet.FIRST)
                .message(request)
                .payloadLength(Long.BYTES);
        target(packet, slot, head, memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET));
        packet.memory().putLong(packet.payload(), length);
        port.publish(channel);
        return Landing.LANDED;
    }

    /** Validates the range. The counter itself is validated when data land there. */
    private int checkLanding(long offset, long length, int injectionCounter) {
        if ((offset | length | offset + length) < 0) {
            return (length < 0 ? Refusal.BAD_LENGTH : Refusal.SOURCE_OUT_OF_BOUNDS).code();
        }
        return checkCounter(injectionCounter);
    }

    private int change(LinkPort port, long slot, long head) {
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
        final int request =
                port.hasRoom(channel) ? port.requests().open(PacketKind.RMW_RESULT, injectionCounter, Long.BYTES) : -1;
        if (request < 0) {
            return Landing.NO_ROOM;
        }
        port.requests()
                .intoArena(
                        request,
                        resultWindow == Descriptor.NO_WINDOW ? PendingRequests.NOWHERE : resultBase + resultOffset);
        final Packet packet = port.claim(channel, PacketKind.RMW, Packet.FIRST)
                .message(request)
                .payloadLength(3 * Long.BYTES);
        target(packet, slot, head, memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET));
        final Memory to = packet.memory();
        to.putLong(packet.payload(), memory.getByte(slot + Descriptor.LENGTH_OFFSET));
        to.putLong(packet.payload() + Long.BYTES, memory.getLong(slot + Descriptor.OPERAND_OFFSET));
        to.putLong(packet.payload() + 2 * Long.BYTES, memory.getLong(slot + Descriptor.COMPARAND_OFFSET));
        port.publish(channel);
        return Landing.LANDED;
    }
}
