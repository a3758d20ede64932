package org.segno.multisend;

import java.util.BitSet;
import java.util.function.BooleanSupplier;
import org.segno.context.Context;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/**
 * Hands out connection ids, by which streams of multisends between the same ranks are told apart, and takes them back. Each is used by one
 * stream at a time; ranks that take and return them in the same order agree on them without a message. One thread.
 */
public final class Connections {
    private final BitSet taken;
    private final int count;
    private final BooleanSupplier hasFree;

    /** Ids 0 to {@code count - 1}. */
    public Connections(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("there must be a connection: count=" + count);
        }
        this.count = count;
        this.taken = new BitSet(count);
        this.hasFree = () -> free() > 0;
    }

    /** The lowest id that nobody has, or {@link Status#BUSY} while all are taken. */
    public int take() {
        final int id = taken.nextClearBit(0);
        if (id >= count) {
            return (int) Status.BUSY;
        }
        taken.set(id);
        return id;
    }

    /**
     * Advances {@code context} until somebody, a handler or posted work for instance, has returned an id, and takes it.
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
            throw new DeadlineException("the deadline passed while nobody returned a connection: " + this);
        }
    }

    /**
     * Returns an id, to be used by another stream.
     *
     * @throws IllegalArgumentException if nobody has it
     */
    public void giveBack(int id) {
        if (id < 0 || id >= count || !taken.get(id)) {
            throw new IllegalArgumentException("connection " + id + " is not taken: " + this);
        }
        taken.clear(id);
    }

    /** Ids that nobody has. */
    public int free() {
        return count - taken.cardinality();
    }

    @Override
    public String toString() {
        return count + " connections, " + taken.cardinality() + " of them taken: " + taken;
    }
}
