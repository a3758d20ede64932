package org.segno.node;

import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.status.Refusal;

/**
 * The monotonic counts of a node, of all its engines and contexts together. Any thread may read them; reading costs the
 * node nothing. {@code segno stat} prints the same counts from outside.
 *
 * <p>A node counts its own operations, and a count does not depend on whether memory or a link joins it to their
 * targets. Bytes and records count when they have landed. A refusal counts once, at the origin of the operation.
 */
public final class Metrics {
    private final NodeMetrics counts;

    Metrics(NodeMetrics counts) {
        this.counts = counts;
    }

    /** Returns the number of descriptors carried out, refused ones and published records of loans included. */
    public long descriptors() {
        return counts.get(Metric.DESCRIPTORS);
    }

    /** Returns the number of bytes of metadata and payload that this node's operations have landed or fetched. */
    public long bytes() {
        return counts.get(Metric.BYTES);
    }

    /** Returns the number of records that this node's operations have published in lanes. */
    public long records() {
        return counts.get(Metric.RECORDS);
    }

    /** Returns the number of visits to a FIFO that ended for want of room at a target. */
    public long blocked() {
        return counts.get(Metric.BLOCKED);
    }

    /**
     * Returns the number of times that operations of this node brought a counter from above zero to zero or below.
     */
    public long hits() {
        return counts.get(Metric.HITS);
    }

    /**
     * Returns the number of messages and notices passed to handlers. The events of counters do not count. It may lag
     * until a context has nothing to do.
     */
    public long received() {
        return counts.get(Metric.RECEIVED);
    }

    /** Returns the number of messages for which no handler was registered. */
    public long unknownDispatch() {
        return counts.get(Metric.UNKNOWN_DISPATCH);
    }

    /** Returns the number of lanes with an impossible record, which are no longer read. */
    public long quarantinedLanes() {
        return counts.get(Metric.QUARANTINED_LANES);
    }

    /** Returns the number of rounds started by {@code replay}. */
    public long replays() {
        return counts.get(Metric.REPLAYS);
    }

    /**
     * Returns the number of parks of waits at a doorbell. It grows while a rank waits for long, and stays zero where
     * waits do not park or peers cannot wake this rank.
     */
    public long parks() {
        return counts.get(Metric.PARKS);
    }

    /** Returns the number of times that this node's engines woke a parked rank. */
    public long rings() {
        return counts.get(Metric.RINGS);
    }

    /** Returns the number of times that this node's engines could not wake a parked rank. */
    public long failedRings() {
        return counts.get(Metric.FAILED_RINGS);
    }

    /**
     * Returns the number of operations of this node that were refused for a reason. Packets that no engine sends count
     * where they are received.
     */
    public long refusals(Refusal refusal) {
        return counts.get(refusal);
    }
}
