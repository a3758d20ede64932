package org.segno.demo.manytomany;

import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.demo.halo.RetryingCalls;
import org.segno.demo.manytomany.ManyToManyExchange.PieceLists;
import org.segno.memory.Window;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.ManyToMany.Places;
import org.segno.multisend.ManyToMany.Sides;
import org.segno.multisend.Pieces;
import org.segno.status.Status;

/**
 * Discovery of the offsets at which the pieces of a rank land. Every receiver sends them to its senders, once, by a
 * many-to-many exchange in the opposite direction.
 */
final class LandingOffsets {
    private LandingOffsets() {}

    /** Returns the bytes of windows that the discovery needs, without those of its many-to-many exchange. */
    static long windowBytes(PieceLists pieces) {
        return (long) Long.BYTES
                * (pieces.received().count() + 2L * pieces.sent().count());
    }

    /**
     * Returns the offset at its receiver for each sent piece. Every rank calls this.
     *
     * @param connection id of a many-to-many exchange, unused at the moment
     */
    static long[] discover(Client client, int connection, PieceLists pieces) {
        final Context context = client.context();
        final PieceList sent = pieces.sent();
        final PieceList received = pieces.received();
        final Window source = client.window((long) Long.BYTES * received.count());
        final long landingBytes = (long) Long.BYTES * sent.count();
        final Window target = client.window(2 * landingBytes);
        final Pieces toSenders = new Pieces();
        final Pieces fromReceivers = new Pieces();
        final int[] sentByRank = new int[sent.count()];
        int receivedIndex = 0;
        int sentIndex = 0;
        for (int rank = 0; rank < context.ranks(); rank++) {
            final int[] ofSender = received.of(rank);
            final int[] ofReceiver = sent.of(rank);
            if (ofSender.length != 0) {
                toSenders.add(rank, offset(receivedIndex), offset(ofSender.length));
            }
            if (ofReceiver.length != 0) {
                fromReceivers.add(rank, offset(sentIndex), offset(ofReceiver.length));
            }
            for (final int piece : ofSender) {
                source.buffer().putLong((int) offset(receivedIndex++), received.offset(piece));
            }
            for (final int piece : ofReceiver) {
                sentByRank[sentIndex++] = piece;
            }
        }
        final Places places = new Places(target, 0, landingBytes, landingBytes);
        final Sides sides = new Sides(source, toSenders, places, fromReceivers);
        final long[] landing = new long[sent.count()];
        try (ManyToMany exchange = ManyToMany.open(client, context, connection, sides, RetryingCalls.deadlineNs())) {
            while (exchange.start() == Status.BACK_PRESSURED) {
                context.advance();
            }
            exchange.await(RetryingCalls.deadlineNs());
            final long first = exchange.landingOffset(exchange.round());
            for (int i = 0; i < landing.length; i++) {
                landing[sentByRank[i]] = target.buffer().getLong((int) (first + offset(i)));
            }
        }
        return landing;
    }

    private static long offset(int index) {
        return (long) Long.BYTES * index;
    }
}
