package org.segno.bench.segno;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.PieceMove;
import org.segno.bench.experiment.Role;
import org.segno.node.NodeConfig.Threading;

/** Both ends of the demos' exchanges as threads of one process: every piece lands where it belongs. */
class DemoRoundsTest {
    @TempDir
    private Path directory;

    private static Stream<Arguments> exchanges() {
        return Stream.of(DemoExchange.values())
                .flatMap(exchange -> Stream.of(Threading.INVOKER, Threading.DEDICATED)
                        .map(threading -> Arguments.of(exchange, threading)));
    }

    @ParameterizedTest
    @MethodSource("exchanges")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void shouldLandEveryPieceOfReplayedRounds(DemoExchange exchange, Threading threading) {
        final CompletableFuture<ReplayedPieces> other =
                CompletableFuture.supplyAsync(() -> ReplayedPieces.open(Role.ECHO, directory, exchange, threading));
        final ReplayedPieces origin = ReplayedPieces.open(Role.ORIGIN, directory, exchange, threading);
        final ReplayedPieces echo = other.join();
        fill(origin.node(), 0);
        fill(echo.node(), 1);

        final CompletableFuture<Void> rounds = CompletableFuture.runAsync(() -> repeat(echo::run));
        repeat(origin::run);
        rounds.join();

        check(exchange, origin.node(), 0);
        check(exchange, echo.node(), 1);
        origin.close();
        echo.close();
    }

    @ParameterizedTest
    @MethodSource("exchanges")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void shouldLandEveryPieceOfInjectedRounds(DemoExchange exchange, Threading threading) {
        final CompletableFuture<InjectedPieces> other =
                CompletableFuture.supplyAsync(() -> InjectedPieces.open(Role.ECHO, directory, exchange, threading));
        final InjectedPieces origin = InjectedPieces.open(Role.ORIGIN, directory, exchange, threading);
        final InjectedPieces echo = other.join();
        fill(origin.node(), 0);
        fill(echo.node(), 1);

        final CompletableFuture<Void> rounds = CompletableFuture.runAsync(() -> repeat(echo::run));
        repeat(origin::run);
        rounds.join();

        check(exchange, origin.node(), 0);
        check(exchange, echo.node(), 1);
        origin.close();
        echo.close();
    }

    private static void repeat(Runnable round) {
        for (int i = 0; i < 3; i++) {
            round.run();
        }
    }

    private static long word(int rank, int offset) {
        return ((long) rank << Integer.SIZE) + offset + 1;
    }

    private static void fill(DemoNode node, int rank) {
        for (int offset = 0; offset < node.source().length(); offset += Long.BYTES) {
            node.source().buffer().putLong(offset, word(rank, offset));
        }
    }

    /** Checks both locations: rounds with odd and even numbers have landed. */
    private static void check(DemoExchange exchange, DemoNode node, int rank) {
        for (int phase = 0; phase < node.phases().size(); phase++) {
            final int bytes = node.phases().get(phase).receivedBytes();
            for (int source = 0; source < DemoExchange.RANKS; source++) {
                for (final PieceMove move : exchange.phases(source).get(phase).moves()) {
                    for (int offset = 0; move.target() == rank && offset < move.length(); offset += Long.BYTES) {
                        final long expected = word(source, move.sourceOffset() + offset);
                        final int at = move.targetOffset() + offset;
                        assertThat(node.targets().get(phase).buffer().getLong(at))
                                .isEqualTo(expected);
                        assertThat(node.targets().get(phase).buffer().getLong(bytes + at))
                                .isEqualTo(expected);
                    }
                }
            }
        }
    }
}
