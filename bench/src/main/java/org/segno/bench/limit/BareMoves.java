package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.agrona.UnsafeApi;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.PieceMove;
import org.segno.bench.demos.PiecePhase;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Spin;
import org.segno.bench.experiment.TimedRound;

/**
 * Exchange of a demo by two threads that only copy its pieces, each to the place where it belongs, and notify
 * each other by one flag for each phase. It is the limit for an exchange of pieces.
 *
 * <p>Sources, targets and their two locations lie as those of Segno, so that both use as much of the caches.
 *
 * <pre>
 *  offset  length  field    written by
 *       0    64xn  flags    the other rank, release, after the pieces of the phase: the round
 *    4096       *  targets  both ranks, plain: two locations for each phase
 * </pre>
 */
final class BareMoves implements TimedRound {
    private static final int LINE_LENGTH = 64;
    private static final int TARGETS_OFFSET = 4096;

    private final long source;
    private final long ownFlags;
    private final long theirFlags;
    private final Moves[] phases;
    private long round;

    private BareMoves(int rank, List<PiecePhase> pieces, MappedBlock source, MappedBlock own, MappedBlock theirs) {
        this.source = source.address();
        this.ownFlags = own.address();
        this.theirFlags = theirs.address();
        this.phases = new Moves[pieces.size()];
        long offset = TARGETS_OFFSET;
        for (int i = 0; i < phases.length; i++) {
            final PiecePhase phase = pieces.get(i);
            phases[i] = new Moves(rank, phase, own.address() + offset, theirs.address() + offset);
            offset += 2L * phase.receivedBytes();
        }
    }

    /** Opens one end. Both ranks receive equally many bytes in each phase, so that their blocks have one layout. */
    static BareMoves open(Role role, Path directory, DemoExchange exchange) throws IOException {
        final List<PiecePhase> phases = exchange.phases(role.rank());
        final int targetBytes =
                phases.stream().mapToInt(phase -> 2 * phase.receivedBytes()).sum();
        final int sourceBytes =
                phases.stream().mapToInt(PiecePhase::sentBytes).max().orElseThrow();
        final MappedBlock own = MappedBlock.make(directory.resolve("target-" + role), TARGETS_OFFSET + targetBytes);
        final MappedBlock source = MappedBlock.make(directory.resolve("source-" + role), sourceBytes);
        final MappedBlock theirs = MappedBlock.await(directory.resolve("target-" + role.other()));
        return new BareMoves(role.rank(), phases, source, own, theirs);
    }

    @Override
    public void run() {
        round++;
        for (int i = 0; i < phases.length; i++) {
            final Moves phase = phases[i];
            phase.copy(source, (int) round & 1);
            if (phase.crosses) {
                UnsafeApi.putLongRelease(null, theirFlags + (long) i * LINE_LENGTH, round);
                int spins = 0;
                while (UnsafeApi.getLongAcquire(null, ownFlags + (long) i * LINE_LENGTH) < round) {
                    spins = Spin.pause(spins);
                }
            }
        }
    }

    /** Copies of one phase. */
    private static final class Moves {
        private final boolean crosses;
        private final int[] sourceOffsets;
        private final int[] lengths;
        /** Addresses at which the pieces land, in even and in odd rounds. */
        private final long[][] targets;

        Moves(int rank, PiecePhase phase, long own, long theirs) {
            final List<PieceMove> moves = phase.moves();
            crosses = moves.stream().anyMatch(move -> move.target() != rank);
            sourceOffsets = moves.stream().mapToInt(PieceMove::sourceOffset).toArray();
            lengths = moves.stream().mapToInt(PieceMove::length).toArray();
            targets = new long[2][];
            for (int parity = 0; parity < 2; parity++) {
                final long location = (long) parity * phase.receivedBytes();
                targets[parity] = moves.stream()
                        .mapToLong(move -> (move.target() == rank ? own : theirs) + location + move.targetOffset())
                        .toArray();
            }
        }

        void copy(long source, int parity) {
            final long[] addresses = targets[parity];
            for (int i = 0; i < addresses.length; i++) {
                copy(source + sourceOffsets[i], addresses[i], lengths[i]);
            }
        }

        /** Copies a piece. A call of copyMemory costs more than a line does. */
        private static void copy(long from, long to, int length) {
            if (length == LINE_LENGTH) {
                for (int offset = 0; offset < LINE_LENGTH; offset += Long.BYTES) {
                    UnsafeApi.putLong(to + offset, UnsafeApi.getLong(from + offset));
                }
            } else {
                UnsafeApi.copyMemory(from, to, length);
            }
        }
    }
}
