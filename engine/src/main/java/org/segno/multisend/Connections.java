package org.segno.multisend;

import java.util.BitSet;
import java.util.function.BooleanSupplier;
import org.segno.context.Context;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/**
 * Allocator of connection ids, which distinguish streams of multisends between the same ranks. One stream at a time
 * uses an id. Ranks that take and return ids in the same order agree on them without a message. Used by one thread.
 */
public final class Connections {
    private final BitSet taken;
    private final int count;
    private final BooleanSupplier hasFree;

    /** Creates the ids 0 to {@code count - 1}. */
    public Connections(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("there must be at least one connection: count=" + count);
        }
        this.count = count;
        this.taken = new BitSet(count);
        this.hasFree = () -> free() > 0;
    }

    /** Takes the lowest free id; returns {@link Status#BUSY} while all are taken. */
    public int take() {
        final int id = taken.nextClearBit(0);
        if (id >= count) {
            return (int) Status.BUSY;
        }
        taken.set(id);
        return id;
    }

    /**
     * Takes an id, and advances {@code context} while none is free. A handler or posted work, for example, may return
     * one meanwhile.
     *
     * @throws DeadlineException at the deadline
     */
    public int take(Context context, long deadlineNs) {
        if (free() == 0) {
            awaitFree(context, deadlineNs);
        }
        return take();
    }

    private void awaitFree(Context context, long deadlineNs) {
        try {
            context.await(hasFree, deadlineNs);
        } catch (final DeadlineException e) {
            throw new DeadlineException("the deadline passed while waiting for a free connection: " + this);
        }
    }

    /**
     * Returns an id, for use by another stream.
     *
     * @throws IllegalArgumentException if the id is not taken
     */
    public void release(int id) {
        if (id < 0 || id >= count || !taken.get(id)) {
            throw new IllegalArgumentException("connection " + id + " is not taken: " + this);
        }
        taken.clear(id);
    }

    /** Returns the number of free ids. */
    public int free() {
        return count - taken.cardinality();
    }

    @Override
    public String toString() {
        return count + " connections, " + taken.cardinality() + " of them taken: " + taken;
    }
}
