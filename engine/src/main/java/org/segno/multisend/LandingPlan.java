package org.segno.multisend;

import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.counter.CounterSettings;
import org.segno.counter.InjectionCounter;
import org.segno.counter.ReceptionCounter;
import org.segno.counter.Right;
import org.segno.memory.Window;
import org.segno.operation.Target;
import org.segno.status.Status;

/**
 * Tells senders where their pieces land: a table in a window that they read, once, when the exchange is opened.
 *
 * <pre>
 *  offset               length  field     meaning
 *  16 rank                   8  first     entry of the first piece that comes from the rank
 *  16 rank + 8               8  count     its pieces
 *  16 (ranks + entry)        8  offset    where the piece lands
 *  16 (ranks + entry) + 8    8  length    its bytes
 * </pre>
 */
final class LandingPlan implements AutoCloseable {
    private static final int ENTRY_LENGTH = 16;

    private final Client client;
    private final Window table;
    private final ReceptionCounter readable;
    private final String name;

    /** Publishes where {@code pieces} land under {@code name}. */
    LandingPlan(Client client, String name, int ranks, Pieces pieces) {
        this.client = client;
        this.name = name;
        final long bytes = (long) (ranks + pieces.count()) * ENTRY_LENGTH;
        table = client.window(bytes);
        int entry = 0;
        for (int rank = 0; rank < ranks; rank++) {
            final int[] own = pieces.of(rank);
            put((long) rank * ENTRY_LENGTH, entry, own.length);
            for (final int piece : own) {
                put((long) (ranks + entry++) * ENTRY_LENGTH, pieces.offset(piece), pieces.length(piece));
            }
        }
        readable = client.receptionCounter(table, 0, bytes, CounterSettings.ANYBODY, Right.GET);
        client.publish(name, readable);
    }

    private void put(long offset, long first, long second) {
        table.buffer().putLong((int) offset, first);
        table.buffer().putLong((int) offset + Long.BYTES, second);
    }

    /**
     * Reads the tables of all whom pieces go to.
     *
     * @return the landing offset of each piece
     * @throws IllegalStateException if a receiver expects other pieces; names it and says what
     */
    long[] read(Context context, Pieces sent, long deadlineNs) {
        final Window copy = client.window(ENTRY_LENGTH * Math.max(1L, sent.count()));
        final InjectionCounter here = client.injectionCounter();
        try {
            return read(context, sent, copy, here, deadlineNs);
        } finally {
            client.close(here);
            client.close(copy);
        }
    }

    private long[] read(Context context, Pieces sent, Window copy, InjectionCounter here, long deadlineNs) {
        final long[] landing = new long[sent.count()];
        for (final int rank : sent.named()) {
            final Target source = context.attach(rank, name, deadlineNs);
            final Fetch fetch = new Fetch(context, source, copy, here, deadlineNs);
            fetch.of((long) context.rank() * ENTRY_LENGTH, ENTRY_LENGTH);
            final long first = context.ranks() + copy.buffer().getLong(0);
            final long count = copy.buffer().getLong(Long.BYTES);
            final int[] pieces = sent.of(rank);
            if (count != pieces.length) {
                throw new IllegalStateException("rank " + rank + " receives " + count + " pieces of " + name
                        + " from rank " + context.rank() + ", which sends it " + pieces.length);
            }
            fetch.of(first * ENTRY_LENGTH, count * ENTRY_LENGTH);
            for (int i = 0; i < pieces.length; i++) {
                landing[pieces[i]] = copy.buffer().getLong(i * ENTRY_LENGTH);
                final long length = copy.buffer().getLong(i * ENTRY_LENGTH + Long.BYTES);
                if (length != sent.length(pieces[i])) {
                    throw new IllegalStateException("piece " + i + " of " + name + " from rank " + context.rank()
                            + " to rank " + rank + " has " + length + " bytes there and " + sent.length(pieces[i])
                            + " here");
                }
            }
        }
        return landing;
    }

    /**
     * Reads from one table.
     *
     * @param source the table
     * @param into where its bytes are put, from the beginning
     */
    private record Fetch(Context context, Target source, Window into, InjectionCounter here, long deadlineNs) {
        void of(long offset, long length) {
            here.expect(length);
            while (context.get(source, offset, into, 0, length, here) == Status.BACK_PRESSURED) {
                context.await(() -> context.fifo().hasRoom(), deadlineNs);
            }
            context.await(here, deadlineNs);
        }
    }

    @Override
    public void close() {
        client.close(readable);
        client.close(table);
    }
}
