package org.segno.engine.landing;

import org.jspecify.annotations.Nullable;
import org.segno.engine.doorbell.DoorbellRecord;
import org.segno.engine.memory.NodeMemory;

/**
 * Doorbells of the contexts of one target, as one engine rings them. It marks the contexts for which something has
 * landed, and rings each at most once for each park. Used only by the engine's thread.
 */
final class TargetBells {
    /** Marks of all contexts, of which a node has at most 64. */
    static final long ALL = -1;

    private final int rank;
    private final @Nullable DoorbellRecord[] records;
    private final long[] rungAt;
    private @Nullable Arrivals arrivals;

    /** Bits by context. All are set, without an effect, if nothing is to be rung. */
    private long marked = ALL;

    TargetBells(NodeMemory target) {
        this.rank = target.rank();
        this.records = new DoorbellRecord[target.layout().dimensions().contexts()];
        this.rungAt = new long[records.length];
        for (int context = 0; context < records.length; context++) {
            final DoorbellRecord record = new DoorbellRecord(target, context);
            records[context] = record.isPresent() ? record : null;
        }
    }

    /** Rings from now on at the ends of passes, unless the target has no doorbells. */
    void reportTo(Arrivals to) {
        for (final DoorbellRecord record : records) {
            if (record != null) {
                arrivals = to;
                marked = 0;
            }
        }
    }

    /** Marks contexts, by bits: something has landed for them. */
    void mark(long contexts) {
        if ((marked & contexts) != contexts) {
            add(contexts);
        }
    }

    private void add(long contexts) {
        if (marked == 0 && arrivals != null) {
            arrivals.add(this);
        }
        marked |= contexts;
    }

    /** Wakes the parked waiters of the marked contexts. The engine has executed a full fence since they were marked. */
    void ring(Arrivals by) {
        final long due = marked;
        marked = 0;
        boolean areWithdrawn = false;
        for (int context = 0; context < records.length; context++) {
            final DoorbellRecord record = records[context];
            if (record == null || (due & (1L << context)) == 0) {
                continue;
            }
            if (!record.isPresent()) {
                areWithdrawn = true;
                continue;
            }
            final long parks = record.parksAcquire();
            if (DoorbellRecord.isParked(parks) && parks != rungAt[context]) {
                rungAt[context] = parks;
                by.ring(rank, context);
            }
        }
        if (areWithdrawn) {
            // A node withdraws all of them, and none of its waiters parks: marks have no effect any more, and passes
            // need no fence for them.
            marked = ALL;
        }
    }
}
