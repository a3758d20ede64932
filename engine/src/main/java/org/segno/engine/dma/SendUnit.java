package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.status.Refusal;

/**
 * Executor of SENDs, one record each in the target context's lane. Successive SENDs to the same context are a
 * <em>run</em>, which is published as one batch. Used only by the engine's thread.
 */
final class SendUnit {
    private static final int SOURCE_FLAGS = Descriptor.SOURCE_COUNTER | Descriptor.ALTERNATE_SOURCE;

    /** Flags of a SEND that is not immediate. */
    private static final int FLAGS =
            SOURCE_FLAGS | Descriptor.METADATA_WINDOW | Descriptor.METADATA_COUNTER | Descriptor.ALTERNATE_METADATA;

    private static final long NO_LANE = -1;

    private final Memory memory;
    private final Memory arena;
    private final LocalOperand payload;
    private final LocalOperand metadata;
    private final Targets targets;
    private final Visit visit;
    private final EqualSends equal;

    private Landing landing;
    private @Nullable ReceptionFifoProducer lane;
    private long laneTarget = NO_LANE;

    SendUnit(NodeMemory node, WindowTable windows, Targets targets, Visit visit) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.payload = new LocalOperand(node, windows, visit);
        this.metadata = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
        this.equal = new EqualSends(memory, arena);
        this.landing = targets.self();
    }

    /**
     * Carries out the run of SENDs that begins at {@code first}, and publishes it.
     *
     * @return the position of the first remaining descriptor; {@link Visit#result} is the reason if the run had to stop
     *     there
     */
    long run(InjectionFifoConsumer fifo, long first, long end) {
        final long slot = fifo.slot(first);
        final long key = Descriptor.destination(memory.getLong(slot), memory.getLong(slot + Descriptor.TARGET_OFFSET));
        final int found = findLane(key);
        final ReceptionFifoProducer to = lane;
        if (found != Landing.LANDED || to == null) {
            return visit.stop(first, found);
        }
        if (!to.from(visit.origin())) {
            return visit.stop(first, Landing.NO_ROOM);
        }
        long next = runImmediate(fifo, first, end, to);
        if (next != end && visit.quantumBytes > 0 && continues(fifo.slot(next), key)) {
            next = runFromWindow(fifo, next, end, to);
            if (next != end && visit.quantumBytes > 0 && continues(fifo.slot(next), key)) {
                next = runPayloads(fifo, next, end, to);
                if (next != end && visit.quantumBytes > 0 && continues(fifo.slot(next), key)) {
                    next = runOthers(fifo, next, end, key);
                }
            }
        }
        to.flush();
        landing.arrived(Descriptor.context(key));
        visit.records += next - first;
        return next;
    }

    /**
     * Carries out one SEND, unless it is refused or finds no room, and reports neither. Returns true if its record is
     * published; otherwise nothing has happened.
     */
    boolean tryOne(long slot) {
        final long key = Descriptor.destination(memory.getLong(slot), memory.getLong(slot + Descriptor.TARGET_OFFSET));
        final int found = findLane(key);
        final ReceptionFifoProducer to = lane;
        if (found != Landing.LANDED || to == null || !to.from(visit.origin()) || send(slot) != Landing.LANDED) {
            return false;
        }
        to.flush();
        landing.arrived(Descriptor.context(key));
        return true;
    }

    /** Carries out the immediate messages at the beginning of a run. */
    private long runImmediate(InjectionFifoConsumer fifo, long first, long end, ReceptionFifoProducer to) {
        final long head = Descriptor.head(Operation.SEND, Descriptor.IMMEDIATE, Descriptor.rank(laneTarget));
        final int context = Descriptor.context(laneTarget);
        final long quantum = visit.quantumBytes;
        long bytes = 0;
        long next = first;
        while (next != end && bytes < quantum) {
            final long at = fifo.slot(next);
            final long target = memory.getLong(at + Descriptor.TARGET_OFFSET);
            final int metadataLength = Descriptor.metadataLength(target);
            final int length = metadataLength + Descriptor.immediateLength(target);
            if (memory.getLong(at) != head
                    || Descriptor.context(target) != context
                    || metadataLength > Descriptor.MAX_INLINE_METADATA_LENGTH
                    || length > Descriptor.MAX_IMMEDIATE_LENGTH
                    || !to.tryAppend(
                            memory,
                            at + Descriptor.INLINE_OFFSET,
                            length,
                            Descriptor.dispatchId(target),
                            metadataLength)) {
                break;
            }
            bytes += length;
            next++;
            if (next != end && bytes < quantum) {
                final int others = runEqual(fifo, next, end, to, target, quantum - bytes);
                bytes += (long) others * length;
                next += others;
            }
        }
        visit.moved(bytes);
        return next;
    }

    /**
     * Carries out immediate messages after one of the same target, id and lengths. Everything that was checked of that
     * one holds for them, so the loop only copies. Returns their number, which the room of the batch limits.
     *
     * @param target word of the message before, as it was checked
     */
    private int runEqual(
            InjectionFifoConsumer fifo, long first, long end, ReceptionFifoProducer to, long target, long quantum) {
        final long head = Descriptor.head(Operation.SEND, Descriptor.IMMEDIATE, Descriptor.rank(laneTarget));
        final int metadataLength = Descriptor.metadataLength(target);
        final int length = metadataLength + Descriptor.immediateLength(target);
        final long header = to.header(length, Descriptor.dispatchId(target), metadataLength);
        final int aligned = LaneRecord.alignedLength(LaneRecord.length(header));
        final long covered = length == 0 ? Integer.MAX_VALUE : (quantum + length - 1) / length;
        final int most = least(fifo.adjacent(first, end), to.room(aligned), covered);
        return length == Long.BYTES
                ? equal.words(head, target, fifo.slot(first), most, header, to)
                : equal.bodies(head, target, fifo.slot(first), most, header, to);
    }

    private static int least(int a, int b, long c) {
        return (int) Math.min(Math.min(a, b), c);
    }

    /**
     * Continues with messages that consist only of metadata in one window. All words that determine the source and the
     * target equal those of the first one. The loop has no calls, as for immediate sends.
     */
    private long runFromWindow(InjectionFifoConsumer fifo, long first, long end, ReceptionFifoProducer to) {
        final long slot = fifo.slot(first);
        final long head = memory.getLong(slot);
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final int window = memory.getInt(slot + Descriptor.METADATA_OPERAND_OFFSET);
        if (!isMetadataOnly(head, target, source, window)) {
            return first;
        }
        final int length = Descriptor.metadataLength(target);
        final long payloadLimit = payload.last(0);
        final long limit = metadata.last(length);
        final long base = metadata.base();
        final long quantum = visit.quantumBytes;
        long bytes = 0;
        long next = first;
        while (next != end && bytes < quantum) {
            final long at = fifo.slot(next);
            final long sourceOffset = memory.getLong(at + Descriptor.SOURCE_OFFSET_OFFSET);
            final long offset = memory.getLong(at + Descriptor.METADATA_OFFSET_OFFSET);
            if (!isMetadataOf(at, head, target, source, window)
                    || !LocalOperand.areWithin(sourceOffset, payloadLimit, offset, limit)
                    || !to.tryAppend(arena, base + offset, length, Descriptor.dispatchId(target), length)) {
                break;
            }
            bytes += length;
            next++;
        }
        visit.moved(bytes);
        return next;
    }

    /** Returns true if the slot has these words and no payload. */
    private boolean isMetadataOf(long slot, long head, long target, long source, int window) {
        return memory.getLong(slot) == head
                && memory.getLong(slot + Descriptor.TARGET_OFFSET) == target
                && memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET) == source
                && memory.getInt(slot + Descriptor.METADATA_OPERAND_OFFSET) == window
                && memory.getLong(slot + Descriptor.LENGTH_OFFSET) == 0;
    }

    /** Opens both windows of messages with these words. Returns false if a message of another form has them. */
    private boolean isMetadataOnly(long head, long target, long source, int window) {
        return Descriptor.hasExactly(head, Descriptor.METADATA_WINDOW)
                && Descriptor.injectionCounter(source) == Descriptor.NO_COUNTER
                && Descriptor.metadataLength(target) <= Descriptor.MAX_METADATA_LENGTH
                && payload.open(Descriptor.window(source)) == Landing.LANDED
                && metadata.open(window) == Landing.LANDED;
    }

    /**
     * Continues with messages that consist only of a short payload of one length from one operand. The loop has no
     * calls, as for immediate sends.
     */
    private long runPayloads(InjectionFifoConsumer fifo, long first, long end, ReceptionFifoProducer to) {
        final long slot = fifo.slot(first);
        final long head = memory.getLong(slot);
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        if (!isShort(length, to) || !isPayloadOnly(head, target, source)) {
            return first;
        }
        final long last = payload.last((int) length);
        final long base = payload.base();
        final long quantum = visit.quantumBytes;
        long bytes = 0;
        long next = first;
        while (next != end && bytes < quantum) {
            final long at = fifo.slot(next);
            final long offset = memory.getLong(at + Descriptor.SOURCE_OFFSET_OFFSET);
            if (EqualSends.difference(memory, at, head, target, source, length) != 0
                    || offset < 0
                    || offset > last
                    || !to.tryAppend(arena, base + offset, (int) length, Descriptor.dispatchId(target), 0)) {
                break;
            }
            bytes += length;
            next++;
            if (length == Memory.LINE_LENGTH && next != end && bytes < quantum) {
                final int lines = runLines(fifo, next, end, to, quantum - bytes);
                bytes += lines * length;
                next += lines;
            }
        }
        visit.moved(bytes);
        return next;
    }

    /** Carries out messages of one line from the open operand, after one with the same words. Returns their number. */
    private int runLines(InjectionFifoConsumer fifo, long first, long end, ReceptionFifoProducer to, long quantum) {
        final long covered = (quantum + Memory.LINE_LENGTH - 1) / Memory.LINE_LENGTH;
        final int most = least(fifo.adjacent(first, end), to.room(EqualSends.LINE_RECORD_LENGTH), covered);
        return equal.lines(fifo.slot(first - 1), fifo.slot(first), most, payload, to);
    }

    private static boolean isShort(long length, ReceptionFifoProducer to) {
        return length >= 0 && length <= Math.min(Memory.SHORT_COPY_LIMIT, to.maxBodyLength());
    }

    /** Opens the operand of messages with these words. Returns false if a message of another form has them. */
    private boolean isPayloadOnly(long head, long target, long source) {
        return Descriptor.hasOnly(head, SOURCE_FLAGS)
                && Descriptor.metadataLength(target) == 0
                && Descriptor.injectionCounter(source) == Descriptor.NO_COUNTER
                && payload.openSource(head, Descriptor.window(source)) == Landing.LANDED;
    }

    /** Continues a run in which some SEND has another form, finds no room or is refused. */
    private long runOthers(InjectionFifoConsumer fifo, long first, long end, long key) {
        long next = first;
        while (next != end && visit.quantumBytes > 0 && continues(fifo.slot(next), key)) {
            visit.result = send(fifo.slot(next));
            if (visit.result != Landing.LANDED) {
                break;
            }
            next++;
        }
        return next;
    }

    private boolean continues(long slot, long key) {
        final long head = memory.getLong(slot);
        return Descriptor.operation(head) == Operation.SEND
                && Descriptor.destination(head, memory.getLong(slot + Descriptor.TARGET_OFFSET)) == key;
    }

    /** Finds the lane of a run. Also checks that the target is in the job and its context in this use, once per run. */
    private int findLane(long key) {
        final int context = Descriptor.context(key);
        if (key == laneTarget) {
            return landing.checkTarget(context);
        }
        final int rank = Descriptor.rank(key);
        final Landing found = targets.landing(rank);
        if (found == null) {
            return targets.missing(rank);
        }
        final int checked = found.checkTarget(context);
        if (checked == Landing.LANDED) {
            landing = found;
            lane = found.laneOf(context);
            laneTarget = key;
        }
        return checked;
    }

    /** Carries out a SEND of any form. */
    private int send(long slot) {
        final ReceptionFifoProducer to = lane;
        final long head = memory.getLong(slot);
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final int metadataLength = Descriptor.metadataLength(target);
        if (to == null || metadataLength > Descriptor.MAX_METADATA_LENGTH) {
            return Refusal.BAD_LENGTH.code();
        }
        if (Descriptor.hasExactly(head, Descriptor.IMMEDIATE)) {
            return sendImmediate(slot, target, to, metadataLength);
        }
        return Descriptor.hasOnly(head, FLAGS)
                ? sendFromMemory(slot, head, target, to)
                : Refusal.UNKNOWN_OPERATION.code();
    }

    private int sendImmediate(long slot, long target, ReceptionFifoProducer to, int metadataLength) {
        final int length = metadataLength + Descriptor.immediateLength(target);
        if (metadataLength > Descriptor.MAX_INLINE_METADATA_LENGTH || length > Descriptor.MAX_IMMEDIATE_LENGTH) {
            return Refusal.BAD_LENGTH.code();
        }
        if (!to.tryAppend(
                memory, slot + Descriptor.INLINE_OFFSET, length, Descriptor.dispatchId(target), metadataLength)) {
            return Landing.NO_ROOM;
        }
        visit.moved(length);
        return Landing.LANDED;
    }

    /** Returns the offset in the arena of metadata that are read from an operand, or a code below zero. */
    private long metadata(long slot, long head, int length) {
        final long offset = memory.getLong(slot + Descriptor.METADATA_OFFSET_OFFSET);
        final int opened = metadata.openMetadata(head, memory.getInt(slot + Descriptor.METADATA_OPERAND_OFFSET));
        final int checked = opened == Landing.LANDED ? metadata.check(offset, length) : opened;
        return checked == Landing.LANDED ? metadata.base() + offset : checked;
    }

    private int checkPayload(long head, long source, long offset, long length) {
        final int opened = payload.openSource(head, Descriptor.window(source));
        return opened == Landing.LANDED ? payload.check(offset, length) : opened;
    }

    private static int checkInline(long head, int metadataLength) {
        if (metadataLength > Descriptor.MAX_INLINE_METADATA_LENGTH) {
            return Refusal.BAD_LENGTH.code();
        }
        return Descriptor.hasOnly(head, SOURCE_FLAGS) ? Landing.LANDED : Refusal.UNKNOWN_OPERATION.code();
    }

    /** Sends a payload that is read from an operand. The metadata lie in another one or in the descriptor. */
    private int sendFromMemory(long slot, long head, long target, ReceptionFifoProducer to) {
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long length = memory.getLong(slot + Descriptor.LENGTH_OFFSET);
        final int metadataLength = Descriptor.metadataLength(target);
        final int injectionCounter = Descriptor.injectionCounter(source);
        final boolean isInline = !Descriptor.has(head, Descriptor.METADATA_WINDOW);
        final int form = isInline ? checkInline(head, metadataLength) : Landing.LANDED;
        if (form != Landing.LANDED) {
            return form;
        }
        final int checked = checkPayload(head, source, sourceOffset, length);
        if (checked != Landing.LANDED) {
            return checked;
        }
        if (length > to.maxBodyLength() - metadataLength) {
            return Refusal.TOO_LONG.code();
        }
        if (!targets.isInjectionCounter(injectionCounter)) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final long from = isInline ? slot + Descriptor.INLINE_OFFSET : metadata(slot, head, metadataLength);
        if (from < 0) {
            return (int) from;
        }
        final long body = to.claim((int) length + metadataLength);
        if (body < 0) {
            return Landing.NO_ROOM;
        }
        copyPayload(payload.base() + sourceOffset, to, body, metadataLength, length);
        (isInline ? memory : arena).copyShortTo(from, to.memory(), body, metadataLength);
        to.publish(Descriptor.dispatchId(target), metadataLength);
        visit.moved(length + metadataLength);
        targets.injected(injectionCounter, length);
        return Landing.LANDED;
    }

    /** Copies a payload behind the room of its metadata, the part that the consumer polls last. */
    private void copyPayload(long from, ReceptionFifoProducer to, long body, int metadataLength, long length) {
        final long at = body + metadataLength;
        final int polled = to.polled(body) - metadataLength;
        if (polled > 0 && length > polled) {
            arena.copyTo(from + polled, to.memory(), at + polled, length - polled);
            arena.copyShortTo(from, to.memory(), at, polled);
        } else {
            arena.copyTo(from, to.memory(), at, length);
        }
    }
}
