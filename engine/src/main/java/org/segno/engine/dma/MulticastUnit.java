package org.segno.engine.dma;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.InjectionFifoConsumer;
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
    private static final long NO_LANE = -1;

    /** Value that a target word without its targets never has. It means that no descriptor is validated. */
    private static final long NOTHING = Descriptor.messageTarget(0, 1, 0, 0);

    private final Memory memory;
    private final Memory arena;
    private final LocalWindow payloadWindow;
    private final LocalWindow metadataWindow;
    private final Targets targets;
    private final Visit visit;
    private final RefusalReport report;

    private Landing landing;
    private @Nullable ReceptionFifoProducer lane;
    private long laneTarget = NO_LANE;

    /** Message fields of the descriptor that was validated last. */
    private long checkedTarget = NOTHING;

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

    MulticastUnit(NodeMemory node, WindowTable windows, Targets targets, Visit visit, RefusalReport report) {
        this.memory = node.owner();
        this.arena = node.arena();
        this.payloadWindow = new LocalWindow(windows);
        this.metadataWindow = new LocalWindow(windows);
        this.targets = targets;
        this.visit = visit;
        this.report = report;
        this.landing = targets.self();
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
        final long target = Descriptor.withoutTargets(memory.getLong(slot + Descriptor.TARGET_OFFSET));
        final long source = memory.getLong(slot + Descriptor.SOURCE_WINDOW_OFFSET);
        final long sourceOffset = memory.getLong(slot + Descriptor.SOURCE_OFFSET_OFFSET);
        final long metadata = memory.getLong(slot + Descriptor.METADATA_WINDOW_OFFSET);
        final long metadataOffset = memory.getLong(slot + Descriptor.METADATA_OFFSET_OFFSET);
        if (target == checkedTarget
                && source == checkedSource
                && sourceOffset == checkedSourceOffset
                && metadata == checkedMetadata
                && metadataOffset == checkedMetadataOffset) {
            return Landing.LANDED;
        }
        checkedTarget = NOTHING;
        final int result = validate(target, source, sourceOffset, metadata, metadataOffset);
        if (result != Landing.LANDED) {
            return result;
        }
        checkedTarget = target;
        checkedSource = source;
        checkedSourceOffset = sourceOffset;
        checkedMetadata = metadata;
        checkedMetadataOffset = metadataOffset;
        return Landing.LANDED;
    }

    private int validate(long target, long source, long sourceOffset, long metadata, long metadataOffset) {
        dispatchId = Descriptor.dispatchId(target);
        metadataLength = Descriptor.metadataLength(target);
        payloadLength = Descriptor.payloadLength(metadata);
        injectionCounter = Descriptor.injectionCounter(source);
        if (metadataLength > Descriptor.MAX_METADATA_LENGTH || payloadLength < 0) {
            return Refusal.BAD_LENGTH.code();
        }
        final int payloadOpened = payloadWindow.open(Descriptor.window(source));
        final int metadataOpened = metadataWindow.open(Descriptor.window(metadata));
        if (payloadOpened != Landing.LANDED || metadataOpened != Landing.LANDED) {
            return Refusal.NO_SUCH_WINDOW.code();
        }
        if (!payloadWindow.admits(sourceOffset, payloadLength)
                || !metadataWindow.admits(metadataOffset, metadataLength)) {
            return Refusal.SOURCE_OUT_OF_BOUNDS.code();
        }
        if (!targets.isInjectionCounter(injectionCounter)) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        metadataAt = metadataWindow.base() + metadataOffset;
        payloadAt = payloadWindow.base() + sourceOffset;
        return Landing.LANDED;
    }

    private int send(InjectionFifoConsumer fifo, long slot) {
        final long head = memory.getLong(slot);
        final long target = memory.getLong(slot + Descriptor.TARGET_OFFSET);
        final int count = Descriptor.targets(target);
        if (!Descriptor.hasExactly(head, Descriptor.METADATA_WINDOW)) {
            return Refusal.UNKNOWN_OPERATION.code();
        }
        if (count == 0 || count > Descriptor.MAX_TARGETS) {
            return Refusal.BAD_LENGTH.code();
        }
        // Skip the targets that received their record in an earlier visit.
        final int first = (int) visit.partialBytes;
        int delivered = 0;
        int result = Landing.LANDED;
        for (int i = first; i < count && result != Landing.NO_ROOM; i++) {
            final long to = i == 0
                    ? Descriptor.destination(head, target)
                    : Descriptor.destination(memory.getInt(slot + Descriptor.further(i)));
            result = append(to);
            if (result == Landing.LANDED) {
                delivered++;
            } else if (result == Landing.NO_ROOM) {
                visit.partialBytes = i;
            } else {
                report.refuse(fifo, slot, Descriptor.head(Operation.MULTICAST, 0, Descriptor.rank(to)), result);
            }
        }
        visit.moved((long) delivered * (metadataLength + payloadLength));
        visit.records += delivered;
        return result == Landing.NO_ROOM ? result : Landing.LANDED;
    }

    /** Finds the lane of a target. Also checks that the target is alive, once for successive records. */
    private int enterLane(long to) {
        leaveLane();
        final int rank = Descriptor.rank(to);
        final int context = Descriptor.context(to);
        final Landing found = targets.landing(rank);
        if (found == null) {
            return targets.missing(rank);
        }
        if (context >= found.contexts()) {
            return Refusal.NO_SUCH_CONTEXT.code();
        }
        if (found.isDead()) {
            return Refusal.PEER_DEAD.code();
        }
        landing = found;
        lane = found.lane(context);
        laneTarget = to;
        return Landing.LANDED;
    }

    private void leaveLane() {
        final ReceptionFifoProducer left = lane;
        if (left != null) {
            left.flush();
            lane = null;
            laneTarget = NO_LANE;
        }
    }

    private int append(long target) {
        if (target != laneTarget) {
            final int result = enterLane(target);
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
                : landing.noRoom();
    }

    private int appendLong() {
        final ReceptionFifoProducer to = lane;
        if (to == null || payloadLength > to.maxBodyLength() - metadataLength) {
            return Refusal.TOO_LONG.code();
        }
        final long body = to.claim(metadataLength + payloadLength);
        if (body < 0) {
            return landing.noRoom();
        }
        arena.copyShortTo(metadataAt, to.memory(), body, metadataLength);
        arena.copyTo(payloadAt, to.memory(), body + metadataLength, payloadLength);
        to.publish(dispatchId, metadataLength);
        targets.injected(injectionCounter, payloadLength);
        return Landing.LANDED;
    }
}
