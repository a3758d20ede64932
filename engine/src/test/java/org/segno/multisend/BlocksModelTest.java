package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;

/**
 * Copies of blocks of every kind to blocks of every kind, in any order and overlapping, compared with a byte-by-byte
 * copy.
 */
class BlocksModelTest {
    private static final int BYTES = 2048;
    private static final int MOST_BLOCKS = 24;
    private static final int ROUNDS = 3_000;

    @TempDir
    Path directory;

    /** Side of a copy as {@link Blocks}, and as the model has it: the place of every byte in its order. */
    private record Side(Blocks blocks, List<Integer> places) {
        static Side of(Blocks blocks, int[] places) {
            return new Side(blocks, Arrays.stream(places).boxed().toList());
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 21", "0, 22"})
    void shouldCopyAsAnArrayIsCopied(int rank, long seed) {
        try (InProcessJob job = InProcessJob.join(
                directory,
                2,
                NodeConfig.defaults()
                        .withThreading(NodeConfig.Threading.INVOKER)
                        .withWindowBytes(1 << 14)
                        .withFifoSlots(64))) {
            final Context context = job.context(0);
            final Client owner = job.node(rank).client();
            final Vectored vectored = new Vectored(context);
            final Window near = job.node(0).client().window(BYTES);
            final Window far = owner.window(BYTES);
            final ReceptionCounter counter =
                    owner.receptionCounter(far, 0, BYTES, ReceptionCounter.ANYBODY, Right.PUT, Right.GET);
            owner.publish("far", counter);
            final InjectionCounter done = job.node(0).client().injectionCounter();
            final Target target = context.attach(rank, "far", InProcessJob.deadline());
            final SplittableRandom random = new SplittableRandom(seed);
            long landed = 0;
            for (int round = 0; round < ROUNDS; round++) {
                final Side here = any(random, random.nextInt(400));
                final Side there = any(random, here.places().size());
                final boolean gets = random.nextBoolean();
                final byte[] from = fill(random, gets ? far : near);
                final byte[] into = fill(random, gets ? near : far);
                copy(from, (gets ? there : here).places(), into, (gets ? here : there).places());

                done.expect(here.places().size());
                final long result = gets
                        ? vectored.get(target, there.blocks(), near, here.blocks(), done)
                        : vectored.put(target, there.blocks(), near, here.blocks(), done);
                assertThat(result).isNotNegative();
                context.await(done, InProcessJob.deadline());

                landed += gets ? 0 : here.places().size();
                final String what = "round " + round + " of seed " + seed + (gets ? ": get " : ": put ") + here.blocks()
                        + " here, " + there.blocks() + " there";
                assertThat(bytes(gets ? near : far)).as(what).isEqualTo(into);
                assertThat(bytes(gets ? far : near)).as(what).isEqualTo(from);
                assertThat(counter.valueAcquire()).as(what).isEqualTo(-landed);
            }
        }
    }

    private static void copy(byte[] from, List<Integer> fromPlaces, byte[] into, List<Integer> intoPlaces) {
        for (int i = 0; i < fromPlaces.size(); i++) {
            into[intoPlaces.get(i)] = from[fromPlaces.get(i)];
        }
    }

    /** Returns blocks of {@code bytes} bytes in all. */
    private static Side any(SplittableRandom random, int bytes) {
        return switch (random.nextInt(3)) {
            case 0 -> contiguous(random.nextInt(BYTES - bytes + 1), bytes);
            case 1 -> strided(random, bytes);
            default -> indexed(random, bytes);
        };
    }

    private static Side contiguous(int offset, int bytes) {
        final int[] places = new int[bytes];
        Arrays.setAll(places, i -> offset + i);
        return Side.of(Blocks.contiguous(offset, bytes), places);
    }

    /** Returns equal blocks in a number that divides the bytes: separate, adjacent, overlapping, or downwards. */
    private static Side strided(SplittableRandom random, int bytes) {
        int count = 1 + random.nextInt(MOST_BLOCKS);
        while (bytes % count != 0) {
            count--;
        }
        final int length = bytes / count;
        final int most = (BYTES - length) / Math.max(1, count - 1);
        final int stride = count == 1 ? random.nextInt(BYTES) : random.nextInt(-most, most + 1);
        final int reach = stride * (count - 1);
        final int lowest = Math.max(0, -reach);
        final int offset = lowest + random.nextInt(BYTES - length - Math.abs(reach) + 1);
        final int[] places = new int[bytes];
        Arrays.setAll(places, i -> offset + i / length * stride + i % length);
        return Side.of(Blocks.strided(offset, length, stride, count), places);
    }

    /** Returns blocks of any lengths, also empty, at any places and in any order. */
    private static Side indexed(SplittableRandom random, int bytes) {
        final int count = 1 + random.nextInt(MOST_BLOCKS);
        final long[] offsets = new long[count];
        final long[] lengths = new long[count];
        final int[] places = new int[bytes];
        int at = 0;
        for (int block = 0; block < count; block++) {
            final int length = block == count - 1 ? bytes - at : random.nextInt((bytes - at) / 2 + 1);
            final int offset = random.nextInt(BYTES - length + 1);
            offsets[block] = offset;
            lengths[block] = length;
            for (int i = 0; i < length; i++) {
                places[at++] = offset + i;
            }
        }
        return Side.of(Blocks.indexed(offsets, lengths), places);
    }

    private static byte[] fill(SplittableRandom random, Window window) {
        final byte[] bytes = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            bytes[i] = (byte) random.nextInt();
        }
        window.buffer().putBytes(0, bytes);
        return bytes;
    }

    private static byte[] bytes(Window window) {
        final byte[] bytes = new byte[BYTES];
        window.buffer().getBytes(0, bytes);
        return bytes;
    }
}
