package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.memory.WindowSlots;
import org.segno.operation.Message;
import org.segno.operation.Rmw;

/** Arenas of several segments: a message that crosses a seam arrives whole. */
class LargeArenaTest {
    private static final long GIGABYTE = 1L << 30;

    /** Two whole segments and the begin of a third: an {@code int} cannot address the second seam. */
    private static final long LARGE = 2 * GIGABYTE + (1 << 20);

    private static final int SMALL_SEGMENT = 1 << 17;

    /** Memory beside the arena that the system needs while a test fills memory. */
    private static final long SPARE = 2 * GIGABYTE;

    @TempDir
    Path directory;

    @Test
    void shouldCarryEverythingAcrossTheSeamsOfSmallSegments() throws IOException {
        final NodeDimensions dimensions =
                NodeSize.small().ranks(1).windowBytes(5L * SMALL_SEGMENT).dimensions();
        final MappedNodes files = MappedNodes.createSegmented(directory, dimensions, SMALL_SEGMENT);
        try (EngineFixture engines = EngineFixture.open(files, dimensions, UnaryOperator.identity())) {
            crossSeams(engines, 5L * SMALL_SEGMENT, SMALL_SEGMENT);
        }
    }

    @Test
    @Tag("long")
    void shouldCarryEverythingAcrossTheSeamsOfAnArenaOfMoreThanTwoGigabytes() throws IOException {
        final Path parent = Path.of(System.getenv().getOrDefault("SEGNO_DIR", "/dev/shm"));
        final long usable =
                Files.isDirectory(parent) ? Files.getFileStore(parent).getUsableSpace() : 0;
        assumeTrue(
                usable >= LARGE + SPARE,
                () -> "needs 4 GiB and 1 MiB of " + parent + ", which has " + usable + " bytes left");
        final long available = availableMemory();
        assumeTrue(
                available >= LARGE + SPARE, () -> "needs 4 GiB and 1 MiB of memory, " + available + " bytes are free");
        final NodeDimensions dimensions =
                NodeSize.small().ranks(1).windowBytes(LARGE).dimensions();
        final Path large = Files.createTempDirectory(parent, "segno-large-arena-");
        try (EngineFixture engines = EngineFixture.open(large, dimensions)) {
            Files.delete(large.resolve("node-0"));
            crossSeams(engines, LARGE, GIGABYTE);
        } finally {
            Files.deleteIfExists(large.resolve("node-0"));
            Files.delete(large);
        }
    }

    private static long availableMemory() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/meminfo"))) {
            return lines.filter(line -> line.startsWith("MemAvailable:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst()
                    .orElse(0);
        }
    }

    /**
     * Opens one window over the whole arena, and runs a PUT, a GET, an RMW, a SEND and a COPY of short and long ranges
     * around every seam.
     */
    private static void crossSeams(EngineFixture engines, long arena, long segment) {
        final Window window = engines.client(0).window(arena);
        assertThat(window.length()).isEqualTo(arena);
        if (arena > Integer.MAX_VALUE) {
            assertThatThrownBy(window::buffer)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("window 0 [" + arena + " bytes]")
                    .hasMessageContaining("buffer(offset, bytes)");
        }
        final ReceptionCounter counter = engines.client(0)
                .receptionCounter(window, 0, arena, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        final Target target = new Target(0, counter.id(), counter.incarnation(), arena, false);
        final byte[][] received = {null};
        engines.context(0)
                .handler(1, (origin, buffer, metadataOffset, metadataLength, payloadOffset, payloadLength) -> {
                    received[0] = new byte[payloadLength];
                    buffer.getBytes(payloadOffset, received[0]);
                });
        final Random chance = new Random(1);
        for (long seam = segment; seam < arena; seam += segment) {
            for (final int length : new int[] {8, 100, 700, 10_000}) {
                final byte[] bytes = new byte[length];
                chance.nextBytes(bytes);
                final long from = seam - length / 2;
                window.buffer(from, length).putBytes(0, bytes);
                accessByOffset(window, from, away(from, 3 * length, seam), bytes);

                put(engines, target, window, from, away(from, length, seam), length, counter);
                assertBytes(window, away(from, length, seam), bytes);

                copy(engines.context(0), window, from, away(from, 2 * length, seam), length);
                engines.settle();
                assertBytes(window, away(from, 2 * length, seam), bytes);

                get(engines, target, window, from, away(from, 4 * length, seam), length);
                assertBytes(window, away(from, 4 * length, seam), bytes);

                if (length <= 700) {
                    received[0] = null;
                    assertThat(engines.context(0)
                                    .send(new Message()
                                            .to(0, 1)
                                            .metadata(new UnsafeBuffer(new byte[3]), 0, 3)
                                            .payload(window, from, length)))
                            .isNotNegative();
                    engines.settle();
                    assertThat(received[0]).isEqualTo(bytes);
                }

                // Copies back onto the seam, from a place that does not cross one.
                Arrays.fill(bytes, (byte) length);
                window.buffer(away(from, length, seam), length).putBytes(0, bytes);
                put(engines, target, window, away(from, length, seam), from, length, counter);
                assertBytes(window, from, bytes);
                lend(engines, target, window, from, length, counter);
            }
            add(engines, target, window, seam - Long.BYTES);
            add(engines, target, window, seam);
        }
        sendFromSlots(engines, window, (arena - 1) / segment * segment, received);
        engines.requireNothingThrown();
    }

    /** Reads, writes and copies by the accessors of the window, on the seam and away from it. */
    private static void accessByOffset(Window window, long from, long to, byte[] bytes) {
        final int length = bytes.length;
        final UnsafeBuffer read = new UnsafeBuffer(new byte[length]);
        window.getBytes(from, read, 0, length);
        assertThat(read.byteArray()).isEqualTo(bytes);
        window.copyTo(from, window, to, length);
        assertBytes(window, to, bytes);
        for (int at = 0; at <= length - Long.BYTES; at += 3) {
            final long word = window.getLong(from + at);
            assertThat(word).isEqualTo(read.getLong(at));
            window.putLong(from + at, ~word);
            assertThat(window.buffer(from + at, Long.BYTES).getLong(0)).isEqualTo(~word);
            window.putLong(from + at, word);
        }
        window.putBytes(to, new UnsafeBuffer(new byte[length]), 0, length);
        assertBytes(window, to, new byte[length]);
        window.putBytes(from, read, 0, length);
        assertBytes(window, from, bytes);
    }

    /** Returns a place that crosses no seam and does not overlap the one that does. */
    private static long away(long from, int distance, long seam) {
        return seam + 1000 + distance + from % 7;
    }

    private static void put(
            EngineFixture engines,
            Target target,
            Window window,
            long from,
            long to,
            int length,
            ReceptionCounter counter) {
        engines.context(0).expect(counter, length);
        assertThat(engines.context(0).put(target, to, window, from, length)).isNotNegative();
        engines.settle();
        assertThat(counter.valueAcquire()).isZero();
    }

    private static void get(EngineFixture engines, Target target, Window window, long from, long to, int length) {
        final InjectionCounter got = engines.client(0).injectionCounter();
        got.expect(length);
        assertThat(engines.context(0).get(target, from, window, to, length, got))
                .isNotNegative();
        engines.settle();
        assertThat(got.valueAcquire()).isZero();
        engines.client(0).close(got);
    }

    /** Adds to a word, and stores its old value after the next one. */
    private static void add(EngineFixture engines, Target target, Window window, long at) {
        window.putLong(at, at);
        assertThat(engines.context(0).rmw(target, at, new Rmw().fetchAdd(5).result(window, at + 2 * Long.BYTES)))
                .isNotNegative();
        engines.settle();
        assertThat(window.getLong(at)).isEqualTo(at + 5);
        assertThat(window.getLong(at + 2 * Long.BYTES)).isEqualTo(at);
    }

    /** Sends all slots of a range around the last seam. */
    private static void sendFromSlots(EngineFixture engines, Window window, long seam, byte[][] received) {
        final int length = 500;
        final WindowSlots slots = WindowSlots.of(window, seam - 1024, 2048, length);
        long last = -1;
        for (long slot = slots.claim(); slot >= 0; slot = slots.claim()) {
            assertThat(slot).isBetween(seam - 1024, seam + 1024 - length);
            window.putLong(slot, ~slot);
            assertThat(engines.context(0).send(new Message().to(0, 1).payload(window, slot, length)))
                    .isNotNegative();
            engines.settle();
            assertThat(new UnsafeBuffer(received[0]).getLong(0)).isEqualTo(~slot);
            last = slot;
        }
        assertThat(last).isGreaterThan(seam);
        slots.release(last);
        assertThat(slots.claim()).isEqualTo(last);
    }

    /** Writes in place across the seam. */
    private static void lend(
            EngineFixture engines, Target target, Window window, long at, int length, ReceptionCounter counter) {
        final byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) ~length);
        final Loan loan = engines.context(0).loan();
        engines.context(0).expect(counter, length);
        loan.claim(target, at, length);
        loan.buffer().putBytes(0, bytes);
        loan.publish();
        engines.settle();
        assertThat(counter.valueAcquire()).isZero();
        assertBytes(window, at, bytes);
    }

    private static void copy(Context context, Window window, long from, long to, int length) {
        assertThat(context.copy(window, from, window, to, length)).isNotNegative();
    }

    private static void assertBytes(Window window, long offset, byte[] expected) {
        final byte[] found = new byte[expected.length];
        window.buffer(offset, expected.length).getBytes(0, found);
        assertThat(found).isEqualTo(expected);
    }
}
