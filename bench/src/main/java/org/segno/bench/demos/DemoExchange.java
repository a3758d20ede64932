package org.segno.bench.demos;

import java.util.List;
import java.util.stream.IntStream;
import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.fourier.TransposePieces;
import org.segno.demo.manytomany.ManyToManyExchange.PieceLists;
import org.segno.demo.neighbours.NeighbourPieces;

/** Exchanges of pieces of the demos with their default options, between two ranks that stand for 64. */
public enum DemoExchange {
    /** Four transposes of {@code segno demo fft3d}. */
    FFT("demo_fft", 1024) {
        @Override
        List<PieceLists> lists(int rank) {
            return TransposePieces.of(GRID, VIRTUAL_RANKS, rank);
        }
    },
    /** Exchange with 8 neighbours in four dimensions of {@code segno demo halo4d}. */
    NEIGHBOURS_8("demo_neighbours_8", 64) {
        @Override
        List<PieceLists> lists(int rank) {
            return List.of(NeighbourPieces.ofFaces(VIRTUAL_RANKS, rank, pieceBytes()));
        }
    },
    /** Exchange with 26 neighbours in three dimensions of {@code segno demo halo4d}. */
    NEIGHBOURS_26("demo_neighbours_26", 64) {
        @Override
        List<PieceLists> lists(int rank) {
            return List.of(NeighbourPieces.ofAll(VIRTUAL_RANKS, rank, pieceBytes()));
        }
    };

    /** Ranks that execute the exchange, one in each process. */
    public static final int RANKS = 2;

    static final VirtualRanks VIRTUAL_RANKS = new VirtualRanks(64, RANKS);
    private static final int GRID = 32;

    private final String test;
    private final int pieceBytes;

    DemoExchange(String test, int pieceBytes) {
        this.test = test;
        this.pieceBytes = pieceBytes;
    }

    /** Returns the name of the test. */
    public String test() {
        return test;
    }

    /** Returns the length of a piece. */
    public int pieceBytes() {
        return pieceBytes;
    }

    /** Returns the pieces of a rank in each phase. */
    abstract List<PieceLists> lists(int rank);

    /** Returns the phases of a rank. */
    public List<PiecePhase> phases(int rank) {
        final List<List<PieceLists>> ofRanks =
                IntStream.range(0, RANKS).mapToObj(this::lists).toList();
        return IntStream.range(0, ofRanks.get(0).size())
                .mapToObj(phase -> PiecePhase.of(
                        rank, ofRanks.stream().map(lists -> lists.get(phase)).toList()))
                .toList();
    }
}
