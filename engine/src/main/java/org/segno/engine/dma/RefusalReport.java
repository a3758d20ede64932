package org.segno.engine.dma;

import java.util.BitSet;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.packet.Packet;
import org.segno.engine.trace.TraceRing;
import org.segno.memory.MemoryAccess;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/**
 * Reporter of refused descriptors. It stores the refusal in the error word of the message's injection counter and of
 * its pattern, where waiters find it. It also counts it in a metric, and records the first refusal of each kind by each
 * rank in the error log. Used only by the engine's thread.
 */
final class RefusalReport {
    private final NodeMemory node;
    private final Memory memory;
    private final Descriptor descriptor;
    private final NodeMetrics metrics;
    private final ErrorLog errors;

    /** For each kind of refusal, the ranks of which the error log has one. */
    private final Map<Refusal, BitSet> recorded = new EnumMap<>(Refusal.class);

    private @Nullable TraceRing trace;

    RefusalReport(NodeMemory node, NodeMetrics metrics, ErrorLog errors) {
        this.node = node;
        this.memory = node.owner();
        this.descriptor = new Descriptor(memory);
        this.metrics = metrics;
        this.errors = errors;
    }

    /** Writes refusals that arrive over links to a trace, too. */
    void trace(TraceRing ring) {
        trace = ring;
    }

    /** Reports a request that was refused after its descriptor had been carried out. */
    void refused(int injectionCounter, int rank, int code) {
        refused(injectionCounter, rank, code, 1);
    }

    /** Reports a packet that was refused after its descriptors had been carried out, with a number of operations. */
    void refused(int injectionCounter, int rank, int code, int operations) {
        if (injectionCounter >= 0) {
            MemoryAccess.refuse(node.values(), node.injectionValueOffset(injectionCounter), code, rank);
        }
        if (trace != null && operations > 0) {
            trace.refusedLater(injectionCounter, rank, code, operations);
        }
        if (operations > 0 && isFirst(Refusal.of(code), rank, operations)) {
            errors.record(
                    new RefusedException(rank, "rank " + rank + " refused over its link: " + Refusal.reason(code)));
        }
    }

    /** Reports that a message of {@code origin} has counted a reception counter below zero, which it forbids. */
    void underflow(int origin, int target, int counter) {
        underflow(origin, target, counter, 1);
    }

    /** Reports the same for a number of messages. */
    void underflow(int origin, int target, int counter, int times) {
        if (isFirst(Refusal.UNDERFLOW, origin, times)) {
            errors.record(new RefusedException(
                    origin,
                    "a message of rank " + origin + " to reception counter " + counter + " of rank " + target + ": "
                            + Refusal.UNDERFLOW.reason()));
        }
    }

    /** Reports that an injection counter of this node was counted below zero, which it forbids. */
    void underflow(int injectionCounter) {
        final int rank = node.rank();
        MemoryAccess.refuse(node.values(), node.injectionValueOffset(injectionCounter), Refusal.UNDERFLOW.code(), rank);
        if (isFirst(Refusal.UNDERFLOW, rank, 1)) {
            errors.record(new RefusedException(
                    rank, "injection counter " + injectionCounter + ": " + Refusal.UNDERFLOW.reason()));
        }
    }

    /**
     * Reports a packet of {@code rank} that no engine sends, or a reply without a request. Any other refusal is sent to
     * the origin, and its engine counts it.
     */
    void refuse(int rank, Packet packet, int code) {
        if (isFirst(Refusal.of(code), rank, 1)) {
            errors.record(new RefusedException(
                    rank, "refused over the link to rank " + rank + ": " + Refusal.reason(code) + ": " + packet));
        }
    }

    /** Reports a frame of {@code rank} with packets that do not lie inside it. */
    void refuseFrame(int rank, int length, int packets) {
        if (isFirst(Refusal.BAD_PACKET, rank, 1)) {
            errors.record(new RefusedException(
                    rank,
                    "refused over the link to rank " + rank + ": " + Refusal.BAD_PACKET.reason() + ": frame of "
                            + length + " bytes with " + packets + " packets"));
        }
    }

    /**
     * Reports an injection FIFO that holds an impossible word and is no longer served. The waits of its context end.
     */
    void quarantined(int context, int fifo) {
        metrics.add(Refusal.BAD_FIFO);
        errors.record(new RefusedException(
                node.rank(),
                "FIFO " + fifo + " of context " + context + " of rank " + node.rank()
                        + " is not served any more: " + Refusal.BAD_FIFO.reason()
                        + "; this program or another process of this user must have written to the node's file"));
    }

    void refuse(InjectionFifoConsumer fifo, long slot, long head, int code) {
        final int rank = refusedBy(head);
        final int counter = memory.getInt(slot + Descriptor.INJECTION_COUNTER_OFFSET);
        final boolean inline =
                Descriptor.operation(head) == Operation.SEND && Descriptor.has(head, Descriptor.IMMEDIATE);
        if (!inline && counter >= 0 && counter < node.layout().dimensions().injectionCounters()) {
            MemoryAccess.refuse(node.values(), node.injectionValueOffset(counter), code, rank);
        }
        fifo.refuse(MemoryAccess.error(code, rank));
        if (isFirst(Refusal.of(code), rank, 1)) {
            errors.record(
                    new RefusedException(rank, "refused" + reason(head, code, rank) + ": " + descriptor.wrap(slot)));
        }
    }

    /** Returns the reason for the refusal of a descriptor, and the rank where the descriptor does not name it. */
    private static String reason(long head, int code, int rank) {
        final int operation = Descriptor.operation(head);
        final String loss = operation == Operation.WAIT ? Refusal.loss(code, rank) : null;
        if (loss != null) {
            return ": " + loss;
        }
        final boolean namesRank = operation != Operation.WAIT && operation != Operation.MULTICAST;
        return (namesRank ? ": " : " at rank " + rank + ": ") + Refusal.reason(code);
    }

    /**
     * Counts refusals, and returns true for the first of this kind by this rank. Later ones allocate nothing. All
     * impossible ranks count as one.
     */
    private boolean isFirst(Refusal refusal, int rank, int count) {
        metrics.add(refusal, count);
        final int size = node.layout().dimensions().size();
        final int index = rank >= 0 && rank < size ? rank : size;
        BitSet ranks = recorded.get(refusal);
        if (ranks == null) {
            ranks = new BitSet(size + 1);
            recorded.put(refusal, ranks);
        }
        final boolean isFirst = !ranks.get(index);
        ranks.set(index);
        return isFirst;
    }

    /**
     * Returns the rank that refuses a descriptor. What only this node carries out names no rank; the head of a WAIT has
     * the rank that ends it.
     */
    private int refusedBy(long head) {
        return switch (Descriptor.operation(head)) {
            case Operation.COPY, Operation.COMBINE, Operation.ARM -> node.rank();
            default -> Descriptor.rank(head);
        };
    }

    /** Records what a user operator has thrown. The refusal of the descriptor is reported as well. */
    void thrown(Exception reason) {
        errors.record(reason);
    }

    /** Returns the counts of the engine. */
    NodeMetrics metrics() {
        return metrics;
    }
}
