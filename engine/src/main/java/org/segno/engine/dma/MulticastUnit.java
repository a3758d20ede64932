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
 * Executor of MULTICASTs. A message is read and validated once, and one record is written to the lane of each target. A
 * target that refuses is reported and skipped; the others receive their record. If a target has no room, a later visit
 * continues the descriptor at that target. Successive records to one lane are published as one batch. Used only by the
 * engine's thread.
 */
final class MulticastUnit {
    /** Flags that a MULTICAST may have. It must have the first one. */
    private static final int FLAGS = Descriptor.METADATA_WINDOW
            | Descriptor.METADATA_COUNTER
            | Descriptor.ALTERNATE_METADATA
            | Descriptor.SOURCE_COUNTER
            | Descriptor.ALTERNATE_SOURCE;

    private static final long NO_LANE = -1;

    /** Value that a target word without its targets never has. It means that no descriptor is validated. */
    private static final long NOTHING = Descriptor.messageTarget(0, 1, 0, 0);

    private static final int PEER_LEFT = Refusal.PEER_LEFT.code();

    private final Memory memory;
    private final Memory arena;
    private final LocalOperand payloadOperand;
    private final LocalOperand metadataOperand;
    private final Targets targets;
    private final Visit visit;
    private final RefusalReport report;
    private final @Nullable TransmitUnit links;
    private final OutgoingMessage message;

    private Landing landing;
    private @Nullable ReceptionFifoProducer lane;
    private long laneTarget = NO_LANE;

    /** Message fields of the descriptor that was validated last. */
    private long checkedTarget = NOTHING;

    private long checkedFlags;

    private long checkedSource;
    private long checkedSourceOffset;
    private long checkedMetadata;
    private long checkedMetadataOffset;
    private long metadataAt;
    private long payloadAt;
    private int dispatchId;
    private int metadataLength;
    private int payloadLength;
    private int injectionCounter;

    MulticastUnit(
            NodeMemory node,
            WindowTable windows,
            Targets targets,
            Visit visit,
            RefusalReport report,
            @Nullable TransmitUnit links) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.payloadOperand = new LocalOperand(node, windows, visit);
        this.metadataOperand = new LocalOperand(node, windows, visit);
        this.targets = targets;
        this.visit = visit;
        this.report = report;
        this.landing = targets.self();
        this.links = links;
        this.message = new OutgoingMessage(arena);
    }

    /**
     * Carries out the successive MULTICASTs that begin at {@code first}. The result is that of {@link SendUnit#run}.
     */
    long run(InjectionFifoConsumer fifo, long first, long end) {
        long next = first;
        // Windows may be withdrawn between two runs.
        checkedTarget = NOTHING;
        while (next != end && visit.quantumBytes > 0) {
            final long slot = fifo.slot(next);
            if (Descriptor.operation(memory.getLong(slot)) != Operation.MULTICAST) {
                break;
            }
            visit.result = check(slot);
            if (visit.result == Landing.LANDED) {
                visit.result = send(fifo, slot);
            }
            if (visit.result != Landing.LANDED) {
                break;
            }
            visit.partialBytes = 0;
            next++;
        }
        leaveLane();
        return next;
    }

    /**
     * Validates and stores the message fields of the descriptor. The descriptors of one multicast are successive and
     * have equal fields.
     */
    private int check(long slot) {
        final long head = memory.getLong(slot);
        final long flags = Descriptor.withoutRank(head);
        final long target = Descriptor.withoutTargets(memory.getLong(slot + Descriptor.TARGET_OFFSET));
        final long source = memory.getLong(slot + Descriptor.SOURCE_OPERAND_OFFSET);
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long metadata = memory.getLong(slot + Descriptor.METADATA_OPERAND_OFFSET);
        final long metadataOffset = memory.getLong(slot + Descriptor.METADATA_OFFSET_OFFSET);
        if (target == checkedTarget
                && flags == checkedFlags
                && source == checkedSource
                && sourceOffset == checkedSourceOffset
                && metadata == checkedMetadata
                && metadataOffset == checkedMetadataOffset) {
            return Landing.LANDED;
        }
        checkedTarget = NOTHING;
        if (!Descriptor.has(head, Descriptor.METADATA_WINDOW) || !Descriptor.hasOnly(head, FLAGS)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        final int result = open(head, source, metadata);
        final int checked =
                result == Landing.LANDED ? validate(target, source, sourceOffset, metadata, metadataOffset) : result;
        if (checked != Landing.LANDED) {
            return checked;
        }
        checkedTarget = target;
        checkedFlags = flags;
        checkedSource = source;
        checkedSourceOffset = sourceOffset;
        checkedMetadata = metadata;
        checkedMetadataOffset = metadataOffset;
        return Landing.LANDED;
    }

    private int open(long head, long source, long metadata) {
        final int opened = payloadOperand.openSource(head, Descriptor.window(source));
        return opened == Landing.LANDED ? metadataOperand.openMetadata(head, Descriptor.window(metadata)) : opened;
    }

    private int validate(long target, long source, long sourceOffset, long metadata, long metadataOffset) {
        dispatchId = Descriptor.dispatchId(target);
        metadataLength = Descriptor.metadataLength(target);
        payloadLength = Descriptor.payloadLength(metadata);
        injectionCounter = Descriptor.injectionCounter(source);
        if (metadataLength > Descriptor.MAX_METADATA_LENGTH || payloadLength < 0) {
            return Refusal.BAD_LENGTH.code();
        }
        if (!payloadOperand.admits(sourceOffset, payloadLength)
                || !metadataOperand.admits(metadataOffset, metadataLength)) {
            return Refusal.SOURCE_OUT_OF_BOUNDS.code();
        }
        if (!targets.isInjectionCounter(injectionCounter)) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        metadataAt = metadataOperand.base() + metadataOffset;
        payloadAt = payloadOperand.base() + sourceOffset;
        return Landing.LANDED;
    }

    private int send(InjectionFifoConsumer fifo, long slot) {
        final long head = memory.getLong(slot);
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final int count = Descriptor.targets(target);
        if (count == 0 || count > Descriptor.MAX_TARGETS) {
            return Refusal.BAD_LENGTH.code();
        }
        // Skip the targets that received their record in an earlier visit.
        final int first = (int) visit.partialBytes;
        int delivered = 0;
        int result = Landing.LANDED;
        for (int i = first; i < count && result != Landing.NO_ROOM; i++) {
            final int same = appendSame(slot, head, target, i, count);
            delivered += same;
            i += same;
            if (i == count) {
                break;
            }
            final long to = targetAt(slot, head, target, i);
            result = append(to);
            if (result == Landing.LANDED) {
                // Records over a link count when they have landed.
                delivered += isLinked(to) ? 0 : 1;
            } else if (result == Landing.NO_ROOM) {
                visit.partialBytes = i;
            } else if (result == PEER_LEFT) {
                // As for every message to a rank that has left: it completes, and does nothing there.
                targets.injected(injectionCounter, payloadLength);
            } else {
                report.refuse(fifo, slot, Descriptor.head(Operation.MULTICAST, 0, Descriptor.rank(to)), result);
            }
        }
        visit.moved((long) delivered * (metadataLength + payloadLength));
        visit.records += delivered;
        return result == Landing.NO_ROOM ? result : Landing.LANDED;
    }

    private long targetAt(long slot, long head, long target, int index) {
        return index == 0
                ? Descriptor.destination(head, target)
                : Descriptor.destination(memory.getInt(slot + Descriptor.further(index)));
    }

    /**
     * Adds the records of the targets from {@code first} on that are the one of the lane that was entered last, as far
     * as its batch has room, if the message consists of metadata. Returns their number.
     */
    private int appendSame(long slot, long head, long target, int first, int count) {
        final ReceptionFifoProducer to = lane;
        if (to == null || payloadLength != 0) {
            return 0;
        }
        final int most =
                Math.min(count - first, to.room(LaneRecord.alignedLength(LaneRecord.HEADER_LENGTH + metadataLength)));
        int same = 0;
        while (same < most && targetAt(slot, head, target, first + same) == laneTarget) {
            same++;
        }
        if (same != 0) {
            to.appendSame(arena, metadataAt, metadataLength, dispatchId, same);
        }
        return same;
    }

    /** Finds the lane of a target. Also checks that the target is in the job, once for successive records. */
    private int enterLane(long to) {
        leaveLane();
        final int rank = Descriptor.rank(to);
        final int context = Descriptor.context(to);
        final Landing found = targets.landing(rank);
        if (found == null) {
            return targets.missing(rank);
        }
        final int checked = found.checkTarget(context);
        if (checked != Landing.LANDED) {
            return checked;
        }
        landing = found;
        final ReceptionFifoProducer entered = found.laneOf(context);
        if (!entered.from(visit.origin())) {
            return Landing.NO_ROOM;
        }
        lane = entered;
        laneTarget = to;
        return Landing.LANDED;
    }

    private void leaveLane() {
        final ReceptionFifoProducer left = lane;
        if (left != null) {
            left.flush();
            landing.arrived(Descriptor.context(laneTarget));
            lane = null;
            laneTarget = NO_LANE;
        }
    }

    private boolean isLinked(long target) {
        return links != null && links.reaches(Descriptor.rank(target));
    }

    private int append(long target) {
        final TransmitUnit link = links;
        if (link != null && isLinked(target)) {
            return visit.excludes(true) ? Refusal.LINK_MASKED.code() : transmit(link, target);
        }
        if (target != laneTarget) {
            final int result = visit.excludes(false) ? Refusal.LINK_MASKED.code() : enterLane(target);
            if (result != Landing.LANDED) {
                return result;
            }
        }
        final ReceptionFifoProducer to = lane;
        if (to == null || payloadLength != 0) {
            return appendLong();
        }
        return to.tryAppend(arena, metadataAt, metadataLength, dispatchId, metadataLength)
                ? Landing.LANDED
                : Landing.NO_ROOM;
    }

    private int transmit(TransmitUnit link, long target) {
        return link.send(
                Descriptor.rank(target),
                Descriptor.context(target),
                message.to(dispatchId, metadataLength, injectionCounter)
                        .head(arena, metadataAt, metadataLength)
                        .payload(payloadAt, payloadLength));
    }

    private int appendLong() {
        final ReceptionFifoProducer to = lane;
        if (to == null || payloadLength > to.maxBodyLength() - metadataLength) {
            return Refusal.TOO_LONG.code();
        }
        final long body = to.claim(metadataLength + payloadLength);
        if (body < 0) {
            return Landing.NO_ROOM;
        }
        arena.copyShortTo(metadataAt, to.memory(), body, metadataLength);
        arena.copyTo(payloadAt, to.memory(), body + metadataLength, payloadLength);
        to.publish(dispatchId, metadataLength);
        targets.injected(injectionCounter, payloadLength);
        return Landing.LANDED;
    }
}
