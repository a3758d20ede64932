package org.segno.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;

/** Both ends of bare Aeron over UDP as threads of one process: what one sends lands at the other, word for word. */
class AeronUdpTest {
    private static final int RANGE = 100_000;
    private static final int ROUND = 1_000;
    private static final int OPERATIONS = 24;

    @TempDir
    private Path directory;

    /** Buffers of one end after its slices. */
    private record End(UnsafeBuffer rangeTarget, UnsafeBuffer roundTarget, UnsafeBuffer singleTarget) {}

    @ParameterizedTest
    @CsvSource({"1408, false", "65504, false", "8192, true"})
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void shouldLandEveryWordOfARangeAndOfARound(int mtu, boolean ownThread) {
        final AeronUdp.Kind kind = new AeronUdp.Kind(LinkNetwork.LOOPBACK, mtu, ownThread, 1);

        final CompletableFuture<End> other = CompletableFuture.supplyAsync(() -> exchange(Role.ECHO, kind));
        final End origin = exchange(Role.ORIGIN, kind);
        final End echo = other.join();

        assertThat(origin.rangeTarget.getLong(0)).as("the answer").isEqualTo(word(Role.ECHO, 0));
        check(echo.rangeTarget, RANGE, Role.ORIGIN);
        check(echo.roundTarget, ROUND * Long.BYTES, Role.ORIGIN);
        check(origin.roundTarget, ROUND * Long.BYTES, Role.ECHO);
        check(echo.singleTarget, ROUND * Long.BYTES, Role.ORIGIN);
        check(origin.singleTarget, ROUND * Long.BYTES, Role.ECHO);
    }

    private End exchange(Role role, AeronUdp.Kind kind) {
        try {
            final Path ranges = Files.createDirectories(directory.resolve("ranges"));
            final Path singles = Files.createDirectories(directory.resolve("singles"));
            final Path rounds = Files.createDirectories(directory.resolve("rounds"));
            final UdpTransfer transfer = new UdpTransfer(role, AeronUdp.share(role, ranges, kind), RANGE);
            final AeronUdp shared = AeronUdp.share(role, rounds, kind);
            final UdpRound round = UdpRound.packed(shared, ROUND);
            final UdpRound single = UdpRound.single(AeronUdp.share(role, rounds, kind), ROUND);
            fill(transfer.source(), role);
            fill(round.source(), role);
            fill(single.source(), role);
            measure(shared.served(ranges, transfer));
            measure(shared.served(rounds, new LatencySide(role, round)));
            measure(shared.served(singles, new LatencySide(role, single)));
            transfer.close();
            round.close();
            single.close();
            return new End(transfer.target(), round.target(), single.target());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void measure(Side side) {
        final SliceFigures figures = new SliceFigures();
        side.enter();
        side.slice(OPERATIONS, figures);
        side.leave();
    }

    private static long word(Role role, int offset) {
        return ((role == Role.ORIGIN ? 1L : 2L) << Integer.SIZE) + offset + 1;
    }

    private static void fill(UnsafeBuffer source, Role role) {
        for (int offset = 0; offset < source.capacity(); offset += Long.BYTES) {
            source.putLong(offset, word(role, offset));
        }
    }

    private static void check(UnsafeBuffer target, int bytes, Role from) {
        for (int offset = 0; offset < bytes; offset += Long.BYTES) {
            assertThat(target.getLong(offset)).as("offset %s", offset).isEqualTo(word(from, offset));
        }
    }
}
