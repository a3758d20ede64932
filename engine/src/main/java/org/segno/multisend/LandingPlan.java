package org.segno.multisend;

import java.util.Arrays;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.counter.CounterSettings;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Window;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/**
 * Table of the landing offsets of a rank's pieces, in a window. Each sender reads it once, when the exchange is opened,
 * and confirms that in the table.
 *
 * <pre>
 *  offset               length  field     meaning
 *  16 rank                   8  first     entry of the first piece from the rank
 *  16 rank + 8               8  count     number of its pieces
 *  16 (ranks + entry)        8  offset    landing offset of the piece
 *  16 (ranks + entry) + 8    8  length    bytes of the piece
 * </pre>
 */
final class LandingPlan implements AutoCloseable {
    /** Suffix of the plan's name, after the name of the exchange. */
    static final String SUFFIX = ".plan";

    static final int ENTRY_LENGTH = 16;

    /** Value that replaces a count once the rank has read its landing offsets. */
    static final long READ = -1;

    private final Client client;
    private final Window table;
    private final ReceptionCounter readable;
    private final String name;
    private final int[] readers;

    /** Publishes the landing offsets of {@code pieces} under {@code name}. */
    LandingPlan(Client client, String name, int ranks, Pieces pieces) {
        this.client = client;
        this.name = name;
        this.readers = pieces.named();
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
        readable = published(bytes);
    }

    private ReceptionCounter published(long bytes) {
        ReceptionCounter counter = null;
        boolean isPublished = false;
        try {
            counter = client.receptionCounter(table, 0, bytes, CounterSettings.ANYBODY, Right.GET, Right.PUT);
            counter.expect((long) Long.BYTES * readers.length);
            client.publish(name, counter);
            isPublished = true;
            return counter;
        } finally {
            if (!isPublished) {
                if (counter != null) {
                    client.close(counter);
                }
                client.close(table);
            }
        }
    }

    private void put(long offset, long first, long second) {
        table.buffer().putLong((int) offset, first);
        table.buffer().putLong((int) offset + Long.BYTES, second);
    }

    /**
     * Waits until all senders have read their part, and returns true. Returns false at {@code untilNs}.
     *
     * @throws SegnoException if a sender has died or left before it read its part
     */
    boolean awaitReaders(Context context, long untilNs) {
        try {
            context.await(readable, untilNs);
            return true;
        } catch (final DeadlineException | PeerFailedException e) {
            // The death of a rank that does not take part is irrelevant to this exchange.
            requireReaders(context);
            return false;
        }
    }

    private void requireReaders(Context context) {
        for (final int rank : readers) {
            final SegnoException failure = hasRead(rank) ? null : context.failure(rank);
            if (failure != null) {
                throw failure;
            }
        }
    }

    /** Withdraws the name after all have read. Later searches find the plan of the next opening. */
    void withdraw() {
        client.withdraw(name);
    }

    /** Returns true once a rank has read its part. */
    boolean hasRead(int rank) {
        return table.buffer().getLongVolatile(rank * ENTRY_LENGTH + Long.BYTES) == READ;
    }

    /** Returns the exception for the deadline, which names the ranks that have not read. */
    DeadlineException late() {
        final int[] missing =
                Arrays.stream(readers).filter(rank -> !hasRead(rank)).toArray();
        return new DeadlineException("the deadline passed while ranks " + Arrays.toString(missing)
                + ", which send to this rank, had not read its landing offsets, \"" + name
                + "\": they must open the exchange, too");
    }

    @Override
    public void close() {
        client.close(readable);
        client.close(table);
    }
}
