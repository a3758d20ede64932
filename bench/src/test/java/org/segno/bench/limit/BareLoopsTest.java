package org.segno.bench.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.bench.demos.DemoSpikes;
import org.segno.bench.experiment.MixedLengths;
import org.segno.bench.experiment.Role;

/** Both ends of bare loops as threads of one process: each word arrives, and each record is read once. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BareLoopsTest {
    private static final int ROUNDS = 3 * DemoSpikes.STEPS;
    private static final int LINE_LENGTH = 64;
    private static final int BLOCK = 12 << 10;
    private static final int COLLECTIVE_ROUNDS = 200;

    /** Word of a message in which each byte is one. */
    private static final long ONES = 0x0101_0101_0101_0101L;

    @TempDir
    private Path directory;

    @Test
    void shouldLandTheWordsOfAllNeighboursInBothLocations() {
        final Ends<BareNeighbours> ends = open(role -> BareNeighbours.open(role, directory, 26));

        ends.run(end -> repeat(ROUNDS, end::run));

        for (int i = 0; i < 26; i++) {
            for (int parity = 0; parity < 2; parity++) {
                assertThat(ends.origin.received(parity, i)).isEqualTo(BareNeighbours.word(Role.ECHO, i));
                assertThat(ends.echo.received(parity, i)).isEqualTo(BareNeighbours.word(Role.ORIGIN, i));
            }
        }
    }

    @Test
    void shouldHandleEverySpikeOfBothEnds() {
        final Ends<BareSpikes> ends = open(role -> BareSpikes.open(role, directory));

        ends.run(end -> repeat(ROUNDS, end::run));

        for (final Role role : Role.values()) {
            final BareSpikes end = role == Role.ORIGIN ? ends.origin : ends.echo;
            long handled = 0;
            long sum = 0;
            for (int time = 1; time <= ROUNDS; time++) {
                for (final Role source : Role.values()) {
                    for (final int cell : DemoSpikes.firing(source.rank(), time % DemoSpikes.STEPS)) {
                        final long spikes = IntStream.of(DemoSpikes.targetsOf(source.rank(), cell))
                                .filter(rank -> rank == role.rank())
                                .count();
                        handled += spikes;
                        sum += spikes * (DemoSpikes.number(source.rank(), cell) + time);
                    }
                }
            }
            assertThat(end.handled()).isEqualTo(handled);
            assertThat(end.sum()).isEqualTo(sum);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {256 * 1024, 1024 * 1024})
    void shouldReadEveryLineOfMixedRecords(int capacity) {
        final int messages = 10_000;
        final Ends<BareMixedRing> ends = open(role -> BareMixedRing.open(role, directory.resolve("ring"), capacity));

        final CompletableFuture<Void> received = CompletableFuture.runAsync(() -> ends.echo.receive(messages));
        ends.origin.send(messages - 1);
        ends.origin.send(1);
        received.join();

        final MixedLengths lengths = new MixedLengths();
        final long lines = IntStream.generate(lengths::next)
                .limit(messages)
                .mapToLong(length -> (length + LINE_LENGTH - Long.BYTES) / LINE_LENGTH)
                .sum();
        assertThat(ends.echo.sum()).isEqualTo(lines * ONES);
    }

    @Test
    void shouldExecuteInjectedPutsInBothDirections() {
        final Ends<BareInjection> ends = open(role -> BareInjection.open(role, directory, 1_000));

        final CompletableFuture<Void> replies = CompletableFuture.runAsync(() -> ends.echo.reply(10));
        ends.origin.request(10);
        replies.join();

        ends.origin.close();
        ends.echo.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldExchangeTheBlocksOfCollectives(boolean yields) {
        final int size = 3;
        final List<CompletableFuture<Integer>> ranks = IntStream.range(0, size)
                .mapToObj(rank -> CompletableFuture.supplyAsync(() -> wrongWords(rank, size, yields)))
                .toList();

        assertThat(ranks).extracting(CompletableFuture::join).containsOnly(0);
    }

    /** Makes calls of all kinds, and returns the number of wrong words. The others would wait for a rank that ended. */
    private int wrongWords(int self, int size, boolean yields) {
        final BareCollectives calls = openCalls(self, size, yields);
        int wrong = 0;
        for (int round = 1; round <= COLLECTIVE_ROUNDS; round++) {
            calls.barrier();
            wrong += calls.sum(self + round) == size * round + 3.0 ? 0 : 1;
            for (final int bytes : new int[] {Long.BYTES, BLOCK}) {
                final int last = bytes - Long.BYTES;
                UnsafeApi.putLong(calls.source(0) + last, round);
                calls.broadcast(bytes);
                wrong += self == 0 || UnsafeApi.getLong(calls.target(0) + last) == round ? 0 : 1;
                for (int rank = 0; rank < size; rank++) {
                    UnsafeApi.putLong(calls.source(rank) + last, 100L * round + 10L * self + rank);
                }
                calls.allToAll(bytes);
                UnsafeApi.putDouble(calls.source(0) + last, round + self);
                for (int rank = 0; rank < size; rank++) {
                    final long word = UnsafeApi.getLong(calls.target(rank) + last);
                    wrong += word == 100L * round + 10L * rank + self ? 0 : 1;
                }
                calls.allreduce(bytes);
                wrong += UnsafeApi.getDouble(calls.target(0) + last) == size * round + 3.0 ? 0 : 1;
            }
        }
        return wrong;
    }

    private BareCollectives openCalls(int self, int size, boolean yields) {
        try {
            return BareCollectives.open(directory, self, size, yields, BLOCK);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void repeat(int rounds, Runnable round) {
        for (int i = 0; i < rounds; i++) {
            round.run();
        }
    }

    private static <T> Ends<T> open(Opener<T> opener) {
        final CompletableFuture<T> echo = CompletableFuture.supplyAsync(() -> openOne(opener, Role.ECHO));
        return new Ends<>(openOne(opener, Role.ORIGIN), echo.join());
    }

    private static <T> T openOne(Opener<T> opener, Role role) {
        try {
            return opener.open(role);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Opener<T> {
        T open(Role role) throws IOException;
    }

    private record Ends<T>(T origin, T echo) {
        void run(Consumer<T> body) {
            final CompletableFuture<Void> other = CompletableFuture.runAsync(() -> body.accept(echo));
            body.accept(origin);
            other.join();
        }
    }
}
