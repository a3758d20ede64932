package org.segno.bench.demos;

import java.util.ArrayList;
import java.util.List;
import org.segno.demo.manytomany.ManyToManyExchange.PieceLists;
import org.segno.demo.manytomany.PieceList;

/**
 * Pieces of one rank in one phase of an exchange, which is complete before the next begins.
 *
 * @param lists sent and received pieces
 * @param moves sent pieces in the order in which a many-to-many exchange sends them: those to the rank itself last
 */
public record PiecePhase(PieceLists lists, List<PieceMove> moves) {
    /** Copies the list. */
    public PiecePhase {
        moves = List.copyOf(moves);
    }

    /** Returns the phase of {@code rank}, given the pieces of all ranks. */
    static PiecePhase of(int rank, List<PieceLists> ofRanks) {
        final PieceList sent = ofRanks.get(rank).sent();
        final int[] next = new int[ofRanks.size()];
        final List<PieceMove> moves = new ArrayList<>();
        for (final int piece : sent.sendOrder(rank, ofRanks.size())) {
            final int target = sent.rank(piece);
            final PieceList received = ofRanks.get(target).received();
            final int landing = received.of(rank)[next[target]++];
            moves.add(new PieceMove(
                    target,
                    Math.toIntExact(sent.offset(piece)),
                    Math.toIntExact(received.offset(landing)),
                    Math.toIntExact(sent.length(piece))));
        }
        return new PiecePhase(ofRanks.get(rank), moves);
    }

    /** Returns the number of bytes that are sent. */
    public int sentBytes() {
        return Math.toIntExact(lists.sent().bytes());
    }

    /** Returns the number of bytes that are received. */
    public int receivedBytes() {
        return Math.toIntExact(lists.received().bytes());
    }
}
