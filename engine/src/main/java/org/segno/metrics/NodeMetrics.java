package org.segno.metrics;

import org.segno.memory.Memory;
import org.segno.memory.NodeLayout.Part;
import org.segno.memory.NodeMemory;
import org.segno.status.Refusal;

/** A node's counts, in its mapped file. One writer each: a plain load and a release store, no atomic add. */
public final class NodeMetrics {
    private final Memory memory;
    private final long base;

    public NodeMetrics(NodeMemory node) {
        this.memory = node.owner();
        this.base = node.layout().offset(Part.METRICS);
    }

    /** The metric's one writer. */
    public void add(Metric metric, long count) {
        add(metric.offset(), count);
    }

    /** Engine: what a visit to a FIFO has done. */
    public void addServed(long descriptors, long bytes, long records) {
        final Memory words = memory;
        final long start = base;
        words.putLongRelease(start, words.getLong(start) + descriptors);
        words.putLongRelease(start + Metric.BYTES_OFFSET, words.getLong(start + Metric.BYTES_OFFSET) + bytes);
        words.putLongRelease(start + Metric.RECORDS_OFFSET, words.getLong(start + Metric.RECORDS_OFFSET) + records);
    }

    /** Engine: one more refusal of this kind; returns how many there were before. */
    public long add(Refusal refusal) {
        return add(Metric.offset(refusal), 1);
    }

    private long add(int offset, long count) {
        final long before = memory.getLong(base + offset);
        memory.putLongRelease(base + offset, before + count);
        return before;
    }

    /** Anybody. */
    public long get(Metric metric) {
        return memory.getLongAcquire(base + metric.offset());
    }

    /** Anybody. */
    public long get(Refusal refusal) {
        return memory.getLongAcquire(base + Metric.offset(refusal));
    }
}
