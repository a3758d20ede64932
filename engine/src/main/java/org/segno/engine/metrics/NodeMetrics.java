package org.segno.engine.metrics;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.status.Refusal;

/**
 * A node's counts, in its mapped file. Each has one writer, which uses a plain load and a release store instead of an
 * atomic add. Every engine and every context therefore has its own block, and a read returns the sum of all.
 */
public final class NodeMetrics {
    private final Memory memory;
    private final long first;
    private final long base;
    private final int blocks;

    /** Offset of the tail of the first context's persistent FIFO, and number of the contexts. */
    private final long persistentTail;

    private final int contexts;

    /** Maps the counts for reading, or for writing by the first engine and the first context. */
    public NodeMetrics(NodeMemory node) {
        this(node, 0);
    }

    /** Maps the counts for reading, or for writing by the engine and the context of this number. */
    public NodeMetrics(NodeMemory node, int block) {
        this.memory = node.owner();
        this.first = node.layout().offset(Part.METRICS);
        this.blocks = node.layout().dimensions().metricBlocks();
        this.persistentTail =
                node.layout().tailOffset(0, node.layout().dimensions().persistentFifo());
        this.contexts = node.layout().dimensions().contexts();
        this.base = first + (long) block * NodeLayout.METRICS_LENGTH;
    }

    /** Adds what has landed at linked ranks. Called by the engine. */
    public void addLanded(long bytes, long records) {
        if (bytes != 0) {
            add(Metric.BYTES, bytes);
        }
        if (records != 0) {
            add(Metric.RECORDS, records);
        }
    }

    /** Returns the count of hits of this block. Used by the engine. */
    public HitCount hits() {
        return new HitCount(memory, base + Metric.HITS.offset());
    }

    /** Adds a record that the application has written itself. Called by the thread that holds the context. */
    public void addLent(long bytes) {
        add(Metric.LENT_BYTES_OFFSET, bytes);
        add(Metric.LENT_RECORDS_OFFSET, 1);
    }

    /** Counts a replay that has no entry in a run ring. Called by the thread that holds the context. */
    public void addDirectReplay() {
        add(Metric.DIRECT_REPLAYS_OFFSET, 1);
    }

    /** Adds to a metric. Called by its only writer. */
    public void add(Metric metric, long count) {
        add(metric.offset(), count);
    }

    /** Adds the work of one visit to a FIFO. Called by the engine. */
    public void addServed(long descriptors, long bytes, long records) {
        final Memory words = memory;
        final long start = base;
        words.putLongRelease(start, words.getLong(start) + descriptors);
        words.putLongRelease(start + Metric.BYTES_OFFSET, words.getLong(start + Metric.BYTES_OFFSET) + bytes);
        if (records != 0) {
            words.putLongRelease(start + Metric.RECORDS_OFFSET, words.getLong(start + Metric.RECORDS_OFFSET) + records);
        }
    }

    /** Counts a refusal of this kind. Returns its previous count in this engine. Called by the engine. */
    public long add(Refusal refusal) {
        return add(refusal, 1);
    }

    /** Counts a number of refusals of this kind. Returns their previous count in this engine. Called by the engine. */
    public long add(Refusal refusal, int count) {
        return add(Metric.offset(refusal), count);
    }

    private long add(long offset, long count) {
        final long before = memory.getLong(base + offset);
        memory.putLongRelease(base + offset, before + count);
        return before;
    }

    /** Returns the sum of a metric. Called by any thread. */
    public long get(Metric metric) {
        return switch (metric) {
            case DESCRIPTORS -> sum(metric.offset()) + sum(Metric.LENT_RECORDS_OFFSET);
            case BYTES -> sum(Metric.BYTES_OFFSET) + sum(Metric.LENT_BYTES_OFFSET);
            case RECORDS -> sum(Metric.RECORDS_OFFSET) + sum(Metric.LENT_RECORDS_OFFSET);
            case REPLAYS -> sum(Metric.DIRECT_REPLAYS_OFFSET) + queuedReplays();
            default -> sum(metric.offset());
        };
    }

    /** Returns the sum of the refusals of a kind. Called by any thread. */
    public long get(Refusal refusal) {
        return sum(Metric.offset(refusal));
    }

    /** Returns the number of all entries of the run rings: a start writes its ring's tail, and need not count, too. */
    private long queuedReplays() {
        long sum = 0;
        for (int context = 0; context < contexts; context++) {
            sum += memory.getLongAcquire(persistentTail + (long) context * NodeLayout.POSITIONS_LENGTH);
        }
        return sum;
    }

    private long sum(int offset) {
        long sum = 0;
        for (int block = 0; block < blocks; block++) {
            sum += memory.getLongAcquire(first + (long) block * NodeLayout.METRICS_LENGTH + offset);
        }
        return sum;
    }
}
