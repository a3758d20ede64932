package org.segno.tools.journal.command;

import java.util.function.LongSupplier;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/**
 * Check of what one rank of a replay has received: each rank publishes the totals of what it has sent, and the others
 * fetch them. Used by one thread.
 */
final class ReplayCheck {
    private static final String NAME = "journal-totals";
    private static final long BYTES = (long) ReplayTotals.FIELDS * Long.BYTES;
    private static final int[] OF_MESSAGES = {
        ReplayTotals.MESSAGES, ReplayTotals.MESSAGE_BYTES, ReplayTotals.MESSAGE_SUM
    };

    private final Context context;
    private final ReplayMemory memory;
    private final ReplayTotals totals;
    private final LongSupplier deadline;
    private final Window published;
    private final Window stated;
    private final InjectionCounter fetched;
    private final int rank;
    private final int size;

    /** Creates the check of a rank. Every rank does so. */
    ReplayCheck(Client client, ReplayMemory memory, ReplayTotals totals, LongSupplier deadline) {
        this.context = client.context();
        this.memory = memory;
        this.totals = totals;
        this.deadline = deadline;
        this.rank = context.rank();
        this.size = context.ranks();
        this.published = client.window(size * BYTES);
        this.stated = client.window(BYTES);
        this.fetched = client.injectionCounter();
        client.publish(
                NAME, client.receptionCounter(published, 0, published.length(), ReceptionCounter.ANYBODY, Right.GET));
    }

    /** Returns the bytes of windows that a check needs. */
    static long windowBytes(int size) {
        return (size + 1) * BYTES;
    }

    /**
     * Waits until everything has landed everywhere, and compares what was received with what its senders have sent.
     * Every rank calls this.
     *
     * @param put counter of the bytes that have landed, and {@code counted} that of what COUNTs have added
     * @return the number of senders of which something else was received
     */
    int run(ReceptionCounter put, ReceptionCounter counted) {
        context.await(context::isDrained, deadline.getAsLong());
        context.fence(deadline.getAsLong());
        for (int to = 0; to < size; to++) {
            for (int field = 0; field < ReplayTotals.FIELDS; field++) {
                published.putLong(to * BYTES + (long) field * Long.BYTES, totals.sent(to, field));
            }
        }
        context.barrier(deadline.getAsLong());
        int wrong = 0;
        long putBytes = 0;
        long amounts = 0;
        for (int from = 0; from < size; from++) {
            fetch(from);
            putBytes += stated(ReplayTotals.PUT_BYTES);
            amounts += stated(ReplayTotals.COUNTED);
            wrong += areReceived(from) && isRight(from) ? 0 : 1;
        }
        if (put.valueAcquire() != -putBytes || counted.valueAcquire() != amounts) {
            wrong++;
        }
        context.barrier(deadline.getAsLong());
        return wrong;
    }

    private void fetch(int from) {
        final Target target = context.attach(from, NAME, deadline.getAsLong());
        while (context.get(target, rank * BYTES, stated, 0, BYTES, fetched) == Status.BACK_PRESSURED) {
            context.advance();
        }
        context.fence(deadline.getAsLong());
    }

    private long stated(int field) {
        return stated.getLong((long) field * Long.BYTES);
    }

    /** Waits until the handler has received the messages of a rank. Returns false if they do not arrive. */
    private boolean areReceived(int from) {
        final long messages = stated(ReplayTotals.MESSAGES);
        try {
            context.await(() -> totals.received(from, ReplayTotals.MESSAGES) >= messages, deadline.getAsLong());
            return true;
        } catch (final DeadlineException ignored) {
            return false;
        }
    }

    private boolean isRight(int from) {
        final int bytes = memory.partBytes();
        boolean isRight =
                stated(ReplayTotals.PUT_SUM) == totals.sum(memory.data().buffer(memory.part(from), bytes), 0, bytes);
        for (final int field : OF_MESSAGES) {
            isRight &= totals.received(from, field) == stated(field);
        }
        return isRight;
    }
}
