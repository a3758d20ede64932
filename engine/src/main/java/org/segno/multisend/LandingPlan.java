package org.segno.multisend;

import java.util.Arrays;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.counter.CounterSettings;
import org.segno.counter.ReceptionCounter;
import org.segno.counter.Right;
import org.segno.memory.Window;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/**
 * Tells senders where their pieces land: a table in a window that each of them reads, once, when the exchange is opened, and says so there.
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
    /** Stands behind the name of an exchange. */
    static final String SUFFIX = ".plan";

    static final int ENTRY_LENGTH = 16;

    /** In place of a count: the rank has read, and found where to send to. */
    static final long READ = -1;

    private final Client client;
    private final Window table;
    private final ReceptionCounter readable;
    private final String name;
    private final int[] readers;

    /** Publishes where {@code pieces} land under {@code name}. */
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
        readable = client.receptionCounter(table, 0, bytes, CounterSettings.ANYBODY, Right.GET, Right.PUT);
        readable.expect((long) Long.BYTES * readers.length);
        client.publish(name, readable);
    }

    private void put(long offset, long first, long second) {
        table.buffer().putLong((int) offset, first);
        table.buffer().putLong((int) offset + Long.BYTES, second);
    }

    /**
     * Waits until all whom pieces come from have read theirs, and answers true, or until {@code untilNs} at most.
     *
     * @throws SegnoException if one of them, which has not read, has died or left
     */
    boolean awaitReaders(Context context, long untilNs) {
        try {
            context.await(readable, untilNs);
            return true;
        } catch (final DeadlineException | PeerFailedException e) {
            // The death of a rank that does not take part is not this exchange's.
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

    /** All have read: who looks for it from now on looks for the one of the next opening. */
    void withdraw() {
        client.withdraw(name);
    }

    /** True once a rank has read where its pieces land. */
    boolean hasRead(int rank) {
        return table.buffer().getLongVolatile(rank * ENTRY_LENGTH + Long.BYTES) == READ;
    }

    /** Names those who have not read when the deadline has passed. */
    DeadlineException late() {
        final int[] missing =
                Arrays.stream(readers).filter(rank -> !hasRead(rank)).toArray();
        return new DeadlineException("the deadline passed while ranks " + Arrays.toString(missing)
                + ", whose pieces this rank receives, had not read where they land, \"" + name
                + "\": they open the exchange too, and send to this rank");
    }

    @Override
    public void close() {
        client.close(readable);
        client.close(table);
    }
}
