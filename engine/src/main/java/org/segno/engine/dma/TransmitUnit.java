package org.segno.engine.dma;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.fifo.PartialMessage;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
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
    static final int SOURCE_FLAGS = Descriptor.SOURCE_COUNTER | Descriptor.ALTERNATE_SOURCE;
    private static final int SEND_FLAGS =
            SOURCE_FLAGS | Descriptor.METADATA_WINDOW | Descriptor.METADATA_COUNTER | Descriptor.ALTERNATE_METADATA;

    private final Memory memory;
    private final Memory arena;
    private final LocalOperand operand;
    private final Targets targets;
    private final Visit visit;
    private final Ports ports;
    private final int stream;
    private final OutgoingMessage message;
    private final PutRun run;
    private final SendRun sends;
    private final RequestUnit requests;
    private final PacketFlags flags;

    /** Number of the message of several packets that was begun last. */
    private int lastMessage = PartialMessage.NO_MESSAGE;

    /** Creates the unit that sends in {@code stream}: the requests of applications, or those of their handlers. */
    TransmitUnit(NodeMemory node, WindowTable windows, Targets targets, Visit visit, Ports ports, int stream) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.operand = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
        this.ports = ports;
        this.stream = stream;
        this.message = new OutgoingMessage(arena);
        this.run = new PutRun(node);
        this.sends = new SendRun(node);
        this.flags = new PacketFlags(node, visit);
        this.requests = new RequestUnit(node, windows, targets, visit, stream);
    }

    /**
     * Returns true if a descriptor must wait for the replies to requests of its FIFO: any but a further request of
     * their kind over a link.
     */
    boolean awaitsReplies(InjectionFifoConsumer fifo, long head) {
        return fifo.requests().hasOthers(reaches(Descriptor.rank(head)) ? replyKind(Descriptor.operation(head)) : 0);
    }

    private static int replyKind(int operation) {
        return switch (operation) {
            case Operation.REMOTE_GET -> PacketKind.GET_DATA;
            case Operation.RMW -> PacketKind.RMW_RESULT;
            default -> 0;
        };
    }

    /**
     * Carries out the descriptor at {@code position}, and those that travel in the same packet. The result of the visit
     * is a code of {@link Landing}, or {@link Visit#PARTIAL}.
     *
     * @return the position of the first descriptor that was not carried out
     */
    long run(InjectionFifoConsumer fifo, long position, long end) {
        flags.begin(position, end);
        final long slot = fifo.slot(position);
        final long head = memory.getLong(slot);
        // The rank exists: the caller has found that its memory is not mapped.
        final LinkPort port = ports.port(Descriptor.rank(head));
        if (port == null) {
            return visit.stop(position, Refusal.NOT_MAPPED.code());
        }
        if (visit.partialBytes > 0 && fifo.partialMessage().number() == PartialMessage.NO_MESSAGE) {
            // Refused meanwhile: the target drops the rest, and the counter has the reason. The application may use it
            // again by now, so the state of the link does not matter.
            port.endDemand(stream, fifo);
            finishNotice(port, fifo);
            visit.result = Landing.LANDED;
            return position + 1;
        }
        final int reached = port.reach();
        if (visit.partialBytes == 0 || reached != Landing.LANDED) {
            fifo.partialMessage().notice(PartialMessage.NO_NOTICE);
        }
        if (reached != Landing.LANDED) {
            return visit.stop(position, reached);
        }
        if (!fifo.canSend()) {
            return visit.stop(position, Landing.NO_ROOM);
        }
        final int count = end - position > 1 && visit.partialBytes == 0 ? together(port, fifo, position, end, head) : 0;
        if (count == 0) {
            visit.result = execute(port, slot, head);
        }
        if (visit.result != Landing.NO_ROOM && visit.result != Visit.PARTIAL) {
            finishNotice(port, fifo);
        }
        return visit.result == Landing.LANDED ? position + Math.max(1, count) : position;
    }

    private void finishNotice(LinkPort port, InjectionFifoConsumer fifo) {
        final int notice = fifo.partialMessage().notice();
        if (notice != PartialMessage.NO_NOTICE) {
            port.finished(stream, notice);
            fifo.partialMessage().notice(PartialMessage.NO_NOTICE);
        }
    }

    /** Carries out descriptors that travel in one packet. Returns their number, or 0 if the first one travels alone. */
    private int together(LinkPort port, InjectionFifoConsumer fifo, long position, long end, long head) {
        final long slot = fifo.slot(position);
        if (isPlainPut(head)) {
            final int count = collect(port, fifo, position, end, head);
            if (count > 1) {
                visit.result = puts(port, slot, head);
                return count;
            }
        } else if (isSend(head) && isSend(memory.getLong(fifo.slot(position + 1)))) {
            return sends(port, fifo, position, end);
        }
        return 0;
    }

    private static boolean isSend(long head) {
        return Descriptor.operation(head) == Operation.SEND;
    }

    private static boolean isPlainPut(long head) {
        return Descriptor.operation(head) == Operation.PUT
                && Descriptor.hasOnly(head, Descriptor.ALTERNATE | SOURCE_FLAGS);
    }

    /** Collects PUTs for one packet. Returns their number; an invalid first one counts as none. */
    private int collect(LinkPort port, InjectionFifoConsumer fifo, long position, long end, long head) {
        final long slot = fifo.slot(position);
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final int opened = operand.openSource(head, Descriptor.window(source));
        run.begin(head, source);
        return opened == Landing.LANDED && targets.isInjectionCounter(Descriptor.injectionCounter(source))
                ? run.collect(fifo, position, end, operand, port.payloadLimit(), visit.quantumBytes)
                : 0;
    }

    /** Sends the collected PUTs. */
    private int puts(LinkPort port, long slot, long head) {
        if (!port.hasRoom(stream, 1, visit.fifo())) {
            return Landing.NO_ROOM;
        }
        final int injectionCounter = run.injectionCounter();
        final Packet packet = port.claim(
                stream, PacketKind.PUTS, Packet.FIRST | flags.last(injectionCounter, run.count()), run.payloadLength());
        target(packet, memory, visit, slot, head, run.first());
        run.write(packet);
        port.publish(stream, visit.fifo(), PartialMessage.NO_MESSAGE, injectionCounter, run.bytes());
        port.contents(stream, run.bytes(), run.count(), 0);
        visit.sent(run.bytes());
        return Landing.LANDED;
    }

    /**
     * Sends short messages to one context in one packet, as far as there is credit. Returns their number, or 0 if the
     * first one travels alone.
     */
    private int sends(LinkPort port, InjectionFifoConsumer fifo, long position, long end) {
        final long start = fifo.slot(position);
        final int rank = Descriptor.rank(memory.getLong(start));
        final int context = Descriptor.context(memory.getLong(start + Descriptor.TARGET_OFFSET));
        sends.begin();
        long at = position;
        while (at != end && !sends.isFull() && sends.bytes() < visit.quantumBytes) {
            final long slot = fifo.slot(at);
            final long head = memory.getLong(slot);
            final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
            final boolean continues =
                    isSend(head) && Descriptor.rank(head) == rank && Descriptor.context(target) == context;
            final OutgoingMessage next = sends.next();
            if (!continues || parse(slot, head, target, next) != Landing.LANDED || !fits(port, context, next)) {
                break;
            }
            if (at == position) {
                if (!port.hasRoom(stream, 1, fifo) || !charge(port, context, next.length())) {
                    visit.result = Landing.NO_ROOM;
                    return 1;
                }
            } else if (!port.chargeNow(stream, context, next.length(), fifo)) {
                break;
            }
            sends.add(slot, head, target);
            at++;
            at += addLike(port, fifo, at, end, context);
        }
        if (sends.count() != 0) {
            publish(port, context, fifo);
        }
        return sends.count();
    }

    /** Adds messages from {@code at} on that equal the last one and have credit. Returns their number. */
    private int addLike(LinkPort port, InjectionFifoConsumer fifo, long at, long end, int context) {
        final long length = sends.last().length();
        final long covered = length == 0 ? 0 : (visit.quantumBytes - sends.bytes() + length - 1) / length;
        final int most = (int) Math.min(Math.min(fifo.adjacent(at, end), sends.room(port.payloadLimit())), covered);
        if (most <= 0) {
            return 0;
        }
        final int prepared = sends.prepareLike(fifo.slot(at), most, operand);
        final int charged = prepared == 0 ? 0 : port.chargeSome(stream, context, length, prepared, fifo);
        sends.addNext(charged);
        return charged;
    }

    /** Returns true if a message can be added to the collected ones. */
    private boolean fits(LinkPort port, int context, OutgoingMessage next) {
        return sends.admitsNext(port.payloadLimit()) && port.canHold(stream, context, next.length());
    }

    /** Sends the collected messages. */
    private void publish(LinkPort port, int context, InjectionFifoConsumer fifo) {
        final int first = Packet.FIRST | flags.last(sends.injectionCounter(), sends.count());
        final Packet packet = port.claim(stream, PacketKind.SENDS, first, sends.payloadLength())
                .body(0, port.resolve(context), 0)
                .part(0, visit.origin());
        sends.write(packet);
        port.publish(stream, fifo, PartialMessage.NO_MESSAGE, sends.injectionCounter(), sends.payloadBytes());
        port.contents(stream, sends.bytes(), sends.count(), sends.count());
        visit.sent(sends.bytes());
        visit.result = Landing.LANDED;
    }

    private int execute(LinkPort port, long slot, long head) {
        return switch (Descriptor.operation(head)) {
            case Operation.PUT -> put(port, slot, head);
            case Operation.SEND -> send(port, slot, head);
            case Operation.COUNT -> count(port, slot, head);
            case Operation.REMOTE_GET -> requests.get(port, slot, head);
            case Operation.RMW -> requests.change(port, slot, head);
            default -> Refusal.UNKNOWN_OPERATION.code();
        };
    }

    private int put(LinkPort port, long slot, long head) {
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long targetOffset = memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final int injectionCounter = Descriptor.injectionCounter(source);
        if (!Descriptor.hasOnly(head, Descriptor.ALTERNATE | Descriptor.NOTIFY | SOURCE_FLAGS)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final boolean notifies = Descriptor.has(head, Descriptor.NOTIFY);
        final int kind = notifies ? PacketKind.NOTIFYING_PUT : PacketKind.PUT;
        final int prefix = notifies ? Packet.NOTICE_PREFIX_LENGTH : Packet.PUT_PREFIX_LENGTH;
        final int checked = operand.checkSource(targets, head, source, sourceOffset, length);
        if (checked != Landing.LANDED) {
            return checked;
        }
        final long payload = operand.base() + sourceOffset;
        long done = visit.partialBytes;
        if (length < done) {
            return Refusal.BAD_LENGTH.code();
        }
        final InjectionFifoConsumer fifo = visit.fifo();
        final int limit = port.payloadLimit() - prefix;
        final long room = length > limit ? port.roomOfPart(stream) : 1;
        if (!port.hasRoom(stream, room, fifo)
                || (done == 0 && notifies && !charge(port, noticeContext(slot), LaneRecord.NOTICE_LENGTH))) {
            return Landing.NO_ROOM;
        }
        if (done == 0) {
            fifo.partialMessage().number(length > limit ? number() : PartialMessage.NO_MESSAGE);
            if (notifies && length > limit) {
                fifo.partialMessage().notice(noticeContext(slot));
                port.begun(stream, fifo.partialMessage().notice());
            }
        }
        int result = Landing.NO_ROOM;
        // The room was found above: it is taken before it is looked for again, which may be the turn of another FIFO.
        do {
            final int part = (int) Math.min(length - done, limit);
            final int partFlags = flags.part(done, done + part == length, injectionCounter);
            final Packet packet = port.claim(stream, kind, partFlags, prefix + part)
                    .remaining(length - done)
                    .number(fifo.partialMessage().number());
            target(packet, memory, visit, slot, head, targetOffset + done);
            if (notifies) {
                packet.notice(notice(port, slot), visit.origin(), targetOffset, length);
            }
            arena.copyTo(payload + done, packet.memory(), packet.payload() + prefix, part);
            port.publish(stream, fifo, fifo.partialMessage().number(), injectionCounter, part);
            done += part;
            port.contents(stream, part, done == length ? 1 : 0, done == length && notifies ? 1 : 0);
            visit.sent(part);
            final int progress = visit.part(done, length);
            if (progress == Landing.LANDED || visit.quantumBytes <= 0) {
                result = progress;
            }
        } while (result == Landing.NO_ROOM && port.hasRoom(stream, room, fifo));
        return result;
    }

    /** Returns the context and the handler of a notice. */
    private int notice(LinkPort port, long slot) {
        final int notice = memory.getInt(slot + Descriptor.OPERAND_OFFSET);
        return (notice & 0xFFFF) | port.resolve(notice >>> Short.SIZE) << Short.SIZE;
    }

    private int noticeContext(long slot) {
        return memory.getInt(slot + Descriptor.OPERAND_OFFSET) >>> Short.SIZE;
    }

    /** Charges a record in a lane of the peer. The lane has room for it then. */
    private boolean charge(LinkPort port, int contextId, long bodyLength) {
        return port.charge(stream, contextId, bodyLength, visit.fifo());
    }

    /** Returns the number of a message of several packets that begins, unlike that of other recent ones. */
    private int number() {
        lastMessage++;
        lastMessage += lastMessage == PartialMessage.NO_MESSAGE ? 1 : 0;
        return lastMessage;
    }

    /** Writes the target of a descriptor into its packet: the counter of this round. */
    static void target(Packet packet, Memory memory, Visit visit, long slot, long head, long offset) {
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        packet.target(visit.counter(head, target), Descriptor.incarnation(target), offset);
    }

    private int count(LinkPort port, long slot, long head) {
        if (!Descriptor.hasOnly(head, Descriptor.ALTERNATE)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        if (!port.hasRoom(stream, 1, visit.fifo())) {
            return Landing.NO_ROOM;
        }
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final int counter = visit.counter(head, target);
        int incarnation = Descriptor.incarnation(target);
        if (port.isUnknown(counter, incarnation)) {
            if (!port.isIntroduced()) {
                port.askIntroduction(stream);
                return Landing.NO_ROOM;
            }
            incarnation = port.countEarly(counter);
            if (incarnation == Peer.REFUSED) {
                return Refusal.STALE_CONTEXT.code();
            }
        }
        port.claim(stream, PacketKind.COUNT, Packet.FIRST | Packet.AWAITED, 0)
                .target(counter, incarnation, memory.getLong(slot + Descriptor.TARGET_OFFSET_OFFSET));
        port.publish(stream, visit.fifo(), PartialMessage.NO_MESSAGE, Descriptor.NO_COUNTER, 0);
        port.contents(stream, 0, 1, 0);
        return Landing.LANDED;
    }

    private int send(LinkPort port, long slot, long head) {
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final int parsed = parse(slot, head, target, message);
        return parsed == Landing.LANDED ? send(port, Descriptor.context(target), message) : parsed;
    }

    /** Validates the SEND in a slot, and sets {@code parsed} to its message. */
    private int parse(long slot, long head, long target, OutgoingMessage parsed) {
        final int metadataLength = Descriptor.metadataLength(target);
        final int dispatchId = Descriptor.dispatchId(target);
        if (Descriptor.hasExactly(head, Descriptor.IMMEDIATE)) {
            final int length = metadataLength + Descriptor.immediateLength(target);
            if (metadataLength > Descriptor.MAX_INLINE_METADATA_LENGTH || length > Descriptor.MAX_IMMEDIATE_LENGTH) {
                return Refusal.BAD_LENGTH.code();
            }
            parsed.to(dispatchId, metadataLength, Descriptor.NO_COUNTER)
                    .head(memory, slot + Descriptor.INLINE_OFFSET, length)
                    .payload(0, 0);
        } else {
            final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
            final long offset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
            final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
            final int metadataChecked = metadata(slot, head, metadataLength, parsed);
            final int checked = metadataChecked == Landing.LANDED
                    ? operand.checkSource(targets, head, source, offset, length)
                    : metadataChecked;
            if (checked != Landing.LANDED) {
                return checked;
            }
            parsed.to(dispatchId, metadataLength, Descriptor.injectionCounter(source))
                    .payload(operand.base() + offset, length);
        }
        return Landing.LANDED;
    }

    /** Finds the metadata of a SEND, which lie in the descriptor or in an operand. */
    private int metadata(long slot, long head, int length, OutgoingMessage parsed) {
        if (!Descriptor.has(head, Descriptor.METADATA_WINDOW)) {
            if (!Descriptor.hasOnly(head, SOURCE_FLAGS)) {
                return Refusal.UNKNOWN_OPERATION.code();
            }
            parsed.head(memory, slot + Descriptor.INLINE_OFFSET, length);
            return length > Descriptor.MAX_INLINE_METADATA_LENGTH ? Refusal.BAD_LENGTH.code() : Landing.LANDED;
        }
        if (!Descriptor.hasOnly(head, SEND_FLAGS)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        if (length > Descriptor.MAX_METADATA_LENGTH) {
            return Refusal.BAD_LENGTH.code();
        }
        final long offset = memory.getLong(slot + Descriptor.METADATA_OFFSET_OFFSET);
        final int opened = operand.openMetadata(head, memory.getInt(slot + Descriptor.METADATA_OPERAND_OFFSET));
        final int checked = opened == Landing.LANDED ? operand.check(offset, length) : opened;
        if (checked == Landing.LANDED) {
            parsed.head(arena, operand.base() + offset, length);
        }
        return checked;
    }

    /** Returns true if a rank is reached over a link. */
    boolean reaches(int rank) {
        return ports.reaches(rank);
    }

    /** Sends a validated message to a context of a rank that a link {@link #reaches}. */
    int send(int rank, int context, OutgoingMessage outgoing) {
        flags.beginAlone();
        final LinkPort port = ports.port(rank);
        if (port == null) {
            return Refusal.NOT_MAPPED.code();
        }
        final int reached = port.reach();
        if (reached != Landing.LANDED) {
            return reached;
        }
        return visit.fifo().canSend() ? send(port, context, outgoing) : Landing.NO_ROOM;
    }

    private int send(LinkPort port, int context, OutgoingMessage outgoing) {
        final long length = outgoing.length();
        final int limit = port.payloadLimit();
        final long packets = length <= limit ? 1 : (length + limit - 1) / limit;
        if (!port.carries(stream, packets)) {
            return Refusal.TOO_LONG.code();
        }
        final InjectionFifoConsumer fifo = visit.fifo();
        if (!port.hasRoom(stream, packets, fifo) || !charge(port, context, length)) {
            return Landing.NO_ROOM;
        }
        final int contextId = port.resolve(context);
        final int number = packets == 1 ? PartialMessage.NO_MESSAGE : number();
        for (long done = 0; done == 0 || done < length; done += limit) {
            final int part = (int) Math.min(length - done, limit);
            final int partFlags = flags.part(done, done + part == length, outgoing.injectionCounter);
            final Packet packet = port.claim(stream, PacketKind.SEND, partFlags, part)
                    .bodyLength((int) length)
                    .body(outgoing.dispatchId, contextId, outgoing.metadataLength)
                    .part((int) done, visit.origin());
            final int payload = outgoing.copyTo(done, arena, packet.memory(), packet.payload(), part);
            port.publish(stream, fifo, number, outgoing.injectionCounter, payload);
            final int last = done + part == length ? 1 : 0;
            port.contents(stream, part, last, last);
        }
        visit.sent(length);
        return Landing.LANDED;
    }
}
