package org.segno.demo.manytomany;

import java.util.stream.IntStream;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.demo.halo.RetryingCalls;
import org.segno.demo.manytomany.ManyToManyExchange.PieceLists;
import org.segno.demo.manytomany.ManyToManyExchange.Windows;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Status;

/**
 * Exchange of pieces by PUTs that are injected in every round, as in a program without patterns.
 *
 * <p>Rounds land in two locations in turn, as those of a many-to-many exchange do, so that the times are comparable.
 * Used by one thread; a round allocates nothing.
 */
final class PutExchange {
    private final Context context;
    private final PieceList sent;
    private final long sentBytes;
    private final long receivedBytes;
    private final Window source;
    private final CounterPair incoming;
    private final InjectionCounter outgoing;
    private final int[] order;
    private final long[] offsets;
    private final long[] lengths;
    private final long[] landing;
    private final Target[][] targets;
    private final Runnable putAll = this::putAll;
    private long round;

    private PutExchange(Client client, PieceLists pieces, Windows windows, long[] landing) {
        this.context = client.context();
        this.sent = pieces.sent();
        this.sentBytes = sent.bytes();
        this.receivedBytes = pieces.received().bytes();
        this.source = windows.source();
        this.incoming = client.counterPair(windows.target(), 0, receivedBytes, receivedBytes);
        this.outgoing = client.injectionCounter();
        this.order = sent.sendOrder(context.rank(), context.ranks());
        this.offsets = IntStream.range(0, sent.count()).mapToLong(sent::offset).toArray();
        this.lengths = IntStream.range(0, sent.count()).mapToLong(sent::length).toArray();
        this.landing = landing;
        this.targets = new Target[2][sent.count()];
    }

    /**
     * Opens an exchange. Every rank calls this.
     *
     * @param connection the same at all ranks, and different from that of other exchanges
     */
    static PutExchange open(Client client, int connection, PieceLists pieces, Windows windows) {
        final long[] landing = LandingOffsets.discover(client, connection, pieces);
        final PutExchange exchange = new PutExchange(client, pieces, windows, landing);
        exchange.attach(client, "put-exchange." + connection);
        return exchange;
    }

    private void attach(Client client, String name) {
        client.publish(name, incoming);
        for (int rank = 0; rank < context.ranks(); rank++) {
            final int[] pieces = sent.of(rank);
            if (pieces.length != 0) {
                final Target pair = context.attach(rank, name, RetryingCalls.deadlineNs());
                for (final int piece : pieces) {
                    targets[0][piece] = pair.ofRound(0);
                    targets[1][piece] = pair.ofRound(1);
                }
            }
        }
    }

    /** Starts a round. Each PUT is published by a store of its own. */
    void startSingly() {
        beginRound();
        for (final int piece : order) {
            while (put(piece) == Status.BACK_PRESSURED) {
                context.advance();
            }
        }
    }

    /** Starts a round. All PUTs are published by one store. */
    void startBatch() {
        beginRound();
        while (context.batch(order.length, putAll) == Status.BACK_PRESSURED) {
            context.advance();
        }
    }

    /** Waits until the last round is sent and its pieces have arrived. */
    void await(long deadlineNs) {
        context.await(outgoing, deadlineNs);
        context.await(incoming.counter(round), deadlineNs);
    }

    /** Returns the offset of the pieces of the last round. */
    long landingOffset() {
        return incoming.offset(round);
    }

    private void beginRound() {
        round++;
        context.expect(incoming.counter(round), receivedBytes);
        context.expect(outgoing, sentBytes);
    }

    private void putAll() {
        for (final int piece : order) {
            put(piece);
        }
    }

    private long put(int piece) {
        final Target target = targets[(int) round & 1][piece];
        return context.put(target, landing[piece], source, offsets[piece], lengths[piece], outgoing);
    }
}
