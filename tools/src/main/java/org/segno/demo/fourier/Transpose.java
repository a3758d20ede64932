package org.segno.demo.fourier;

import org.agrona.collections.IntArrayList;
import org.agrona.concurrent.AtomicBuffer;
import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.manytomany.ManyToManyExchange;
import org.segno.demo.manytomany.ManyToManyExchange.PieceLists;
import org.segno.demo.manytomany.PieceList;

/**
 * Layout of the transpose from pencils of one axis to pencils of another, at one rank.
 *
 * <p>A piece is the intersection of two pencils, with its points in the order of {@link Box#each}.
 */
final class Transpose {
    static final int POINT_BYTES = 2 * Double.BYTES;

    private final PieceLists pieces;
    private final int[] sentFrom;
    private final int[] receivedAt;

    private Transpose(PieceLists pieces, int[] sentFrom, int[] receivedAt) {
        this.pieces = pieces;
        this.sentFrom = sentFrom;
        this.receivedAt = receivedAt;
    }

    static Transpose of(Pencils from, Pencils to, VirtualRanks ranks, int rank) {
        final PieceSide sent = new PieceSide(from, ranks.first(rank));
        final PieceSide received = new PieceSide(to, ranks.first(rank));
        for (int source = 0; source < ranks.count(); source++) {
            final Box whole = from.box(source);
            for (int target = 0; target < ranks.count(); target++) {
                final boolean sends = ranks.rankOf(source) == rank;
                final boolean receives = ranks.rankOf(target) == rank;
                if (!sends && !receives) {
                    continue;
                }
                final Box piece = whole.common(to.box(target));
                if (piece.points() > 0 && sends) {
                    sent.add(ranks.rankOf(target), source, piece);
                }
                if (piece.points() > 0 && receives) {
                    received.add(ranks.rankOf(source), target, piece);
                }
            }
        }
        return new Transpose(
                new PieceLists(sent.pieces, received.pieces), sent.places.toIntArray(), received.places.toIntArray());
    }

    /** Pieces of one side, with the index of each of their points among the rank's points. */
    private static final class PieceSide {
        private final Pencils pencils;
        private final int firstVirtual;
        private final PieceList pieces = new PieceList();
        private final IntArrayList places = new IntArrayList();

        PieceSide(Pencils pencils, int firstVirtual) {
            this.pencils = pencils;
            this.firstVirtual = firstVirtual;
        }

        void add(int peer, int own, Box piece) {
            final Box box = pencils.box(own);
            final int before = (own - firstVirtual) * box.points();
            pieces.add(peer, (long) places.size() * POINT_BYTES, (long) piece.points() * POINT_BYTES);
            piece.each((x, y, z) -> places.addInt(before + pencils.index(box, x, y, z)));
        }
    }

    PieceLists pieces() {
        return pieces;
    }

    /** Copies points into the outgoing pieces. */
    void pack(double[] points, ManyToManyExchange exchange) {
        final AtomicBuffer source = exchange.source();
        for (int i = 0; i < sentFrom.length; i++) {
            source.putDouble(i * POINT_BYTES, points[2 * sentFrom[i]]);
            source.putDouble(i * POINT_BYTES + Double.BYTES, points[2 * sentFrom[i] + 1]);
        }
    }

    /** Copies points out of the received pieces. */
    void unpack(ManyToManyExchange exchange, double[] points) {
        final AtomicBuffer target = exchange.target();
        final int landing = exchange.landing();
        for (int i = 0; i < receivedAt.length; i++) {
            points[2 * receivedAt[i]] = target.getDouble(landing + i * POINT_BYTES);
            points[2 * receivedAt[i] + 1] = target.getDouble(landing + i * POINT_BYTES + Double.BYTES);
        }
    }
}
