package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

class VectoredTest {
    private static final int BYTES = 4096;

    @TempDir
    Path directory;

    private InProcessJob job;
    private Context context;
    private Vectored vectored;
    private Window near;
    private Window far;
    private ReceptionCounter counter;
    private InjectionCounter injected;
    private Target target;

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                directory,
                2,
                NodeConfig.defaults()
                        .withThreading(NodeConfig.Threading.INVOKER)
                        .withWindowBytes(1 << 16)
                        .withFifoSlots(64));
        context = job.context(0);
        vectored = new Vectored(context);
        near = job.node(0).client().window(BYTES);
        far = job.node(1).client().window(BYTES);
        counter = job.node(1).client().receptionCounter(far, 0, BYTES, ReceptionCounter.ANYBODY, Right.PUT, Right.GET);
        job.node(1).client().publish("far", counter);
        injected = job.node(0).client().injectionCounter();
        target = context.attach(1, "far", InProcessJob.deadline());
    }

    @AfterEach
    void close() {
        job.close();
    }

    @Test
    void shouldPutAColumnIntoARow() {
        for (int row = 0; row < 8; row++) {
            near.buffer().putLong(row * 64 + 16, 100 + row);
        }
        counter.expect(64);
        injected.expect(64);
        assertThat(vectored.put(target, Blocks.contiguous(128, 64), near, Blocks.strided(16, 8, 64, 8), injected))
                .isNotNegative();
        context.await(injected, InProcessJob.deadline());
        assertThat(counter.valueAcquire()).isZero();
        for (int row = 0; row < 8; row++) {
            assertThat(far.buffer().getLong(128 + row * 8)).isEqualTo(100 + row);
        }
    }

    @Test
    void shouldGetARowIntoAColumn() {
        for (int row = 0; row < 8; row++) {
            far.buffer().putLong(row * 8, 100 + row);
        }
        injected.expect(64);
        vectored.get(target, Blocks.contiguous(0, 64), near, Blocks.strided(16, 8, 64, 8), injected);
        context.await(injected, InProcessJob.deadline());
        for (int row = 0; row < 8; row++) {
            assertThat(near.buffer().getLong(row * 64 + 16)).isEqualTo(100 + row);
        }
    }

    /** Copies blocks at random places that do not overlap, of equal bytes in all, divided differently at both ends. */
    @Test
    void shouldCarryAnyBlocksToAnyOthers() {
        final SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 2_000; round++) {
            final int bytes = random.nextInt(600);
            final Blocks here = random(random, bytes);
            final Blocks there = random(random, bytes);
            final boolean gets = random.nextBoolean();
            final Window from = gets ? far : near;
            final Window into = gets ? near : far;
            for (int i = 0; i < BYTES; i++) {
                from.buffer().putByte(i, (byte) random.nextInt());
                into.buffer().putByte(i, (byte) 0);
            }
            injected.expect(bytes);
            final long result = gets
                    ? vectored.get(target, there, near, here, injected)
                    : vectored.put(target, there, near, here, injected);
            assertThat(result).isNotNegative();
            context.await(injected, InProcessJob.deadline());
            final byte[] sent = bytes(gets ? there : here, from);
            assertThat(bytes(gets ? here : there, into)).isEqualTo(sent);
            int outside = 0;
            for (int i = 0; i < BYTES; i++) {
                outside += into.buffer().getByte(i) == 0 ? 0 : 1;
            }
            assertThat(outside).isLessThanOrEqualTo(bytes);
        }
    }

    private static Blocks random(SplittableRandom random, int bytes) {
        final int count = 1 + random.nextInt(20);
        final long[] offsets = new long[count];
        final long[] lengths = new long[count];
        int left = bytes;
        for (int i = 0; i < count; i++) {
            lengths[i] = i == count - 1 ? left : random.nextInt(left + 1);
            left -= (int) lengths[i];
        }
        long at = 0;
        for (int i = 0; i < count; i++) {
            at += random.nextInt(100);
            offsets[i] = at;
            at += lengths[i];
        }
        return Blocks.indexed(offsets, lengths);
    }

    private static byte[] bytes(Blocks blocks, Window window) {
        final byte[] bytes = new byte[(int) blocks.bytes()];
        int at = 0;
        for (int block = 0; block < blocks.count(); block++) {
            for (int i = 0; i < blocks.length(block); i++) {
                bytes[at++] = window.buffer().getByte((int) blocks.offset(block) + i);
            }
        }
        return bytes;
    }

    @Test
    void shouldBeReplayedAsAnyOperation() {
        final Blocks column = Blocks.strided(0, 8, 64, 8);
        final Pattern pattern = context.prepare(
                Rounds.ORDERED_BY_CALLER, () -> vectored.put(target, Blocks.contiguous(0, 64), near, column, null));
        assertThat(pattern.descriptors()).isEqualTo(8);
        for (int round = 1; round <= 10; round++) {
            near.buffer().putLong(7 * 64, round);
            assertThat(context.replay(pattern)).isEqualTo(round);
            job.settle();
            assertThat(far.buffer().getLong(56)).isEqualTo(round);
        }
    }

    @Test
    void shouldInjectAllOrNothing() {
        for (int i = 0; i < 60; i++) {
            context.count(target, -1);
        }
        final Blocks column = Blocks.strided(0, 8, 64, 8);
        assertThat(vectored.put(target, Blocks.contiguous(0, 64), near, column, null))
                .isEqualTo(Status.BACK_PRESSURED);
        job.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-60);
        assertThat(vectored.put(target, Blocks.contiguous(0, 64), near, column, null))
                .isNotNegative();
    }

    @Test
    void shouldInjectAllOrNothingInAReplyingHandlerToo() {
        final Blocks here = Blocks.strided(0, 1, 2, 40);
        final List<Long> results = new ArrayList<>();
        context.replyingHandler(7, (source, buffer, m, ml, p, pl) -> {
            if (results.isEmpty()) {
                results.add(vectored.put(target, Blocks.strided(0, 1, 2, 40), near, here, null));
            }
            results.add(vectored.put(target, Blocks.strided(100, 1, 2, 40), near, here, null));
            return results.get(results.size() - 1);
        });
        near.buffer().setMemory(0, 80, (byte) 1);
        job.context(1).sendImmediate(0, 7, new UnsafeBuffer(new byte[8]), 0, 8);
        job.settle();
        context.await(() -> results.get(results.size() - 1) >= 0, InProcessJob.deadline());
        job.settle();
        assertThat(results.get(0)).isNotNegative();
        assertThat(results.get(1)).as("40 more into 64 slots").isEqualTo(Status.BACK_PRESSURED);
        assertThat(counter.valueAcquire()).isEqualTo(-80);
        int landed = 0;
        for (int i = 0; i < 180; i++) {
            landed += far.buffer().getByte(i);
        }
        assertThat(landed).isEqualTo(80);
        // The next descriptor uses the context's own FIFO again.
        assertThat(context.count(target, -1)).isEqualTo(0);
    }

    @Test
    void shouldBeRefusedInAHandlerThatMayNotSend() {
        final Blocks eight = Blocks.contiguous(0, 8);
        context.handler(
                7,
                (source, buffer, m, ml, p, pl) -> assertThatThrownBy(
                                () -> vectored.put(target, eight, near, eight, null))
                        .hasMessageContaining("only a replying handler can send"));
        job.context(1).sendImmediate(0, 7, new UnsafeBuffer(new byte[8]), 0, 8);
        job.settle();
        assertThat(counter.valueAcquire()).isZero();
    }

    @Test
    @SuppressWarnings("NullAway") // a caller without NullAway may pass null
    void shouldRefuseToGetWithoutACounterAndWriteNothing() {
        final Blocks eight = Blocks.contiguous(0, 8);
        near.buffer().putLong(0, -1);
        assertThatThrownBy(() -> vectored.get(target, eight, near, eight, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("completes");
        job.settle();
        assertThat(far.buffer().getLong(0)).isZero();
    }

    @Test
    void shouldRecordMorePartsThanTheFifoHasSlots() {
        final Blocks many = Blocks.strided(0, 1, 2, 200);
        final Pattern pattern =
                context.prepare(Rounds.ORDERED_BY_CALLER, () -> vectored.put(target, many, near, many, null));
        assertThat(pattern.descriptors()).isEqualTo(200);
        assertThat(context.replay(pattern)).isEqualTo(1);
        job.settle();
        assertThat(counter.valueAcquire()).isEqualTo(-200);
    }

    @Test
    void shouldNameTheError() {
        final Blocks eight = Blocks.contiguous(0, 8);
        assertThatThrownBy(() -> vectored.put(target, eight, near, Blocks.contiguous(0, 9), null))
                .hasMessageContaining("both sides must have the same number of bytes");
        assertThatThrownBy(() -> vectored.put(target, eight, near, Blocks.contiguous(BYTES - 7, 8), null))
                .hasMessageContaining("block 0");
        assertThatThrownBy(() -> vectored.put(target, Blocks.contiguous(BYTES - 7, 8), near, eight, null))
                .hasMessageContaining("block 0 ends at 4097");
        assertThatThrownBy(() ->
                        vectored.put(target, Blocks.strided(0, 1, 2, 65), near, Blocks.strided(0, 1, 2, 65), null))
                .hasMessageContaining("65 parts")
                .hasMessageContaining("withFifoSlots");
        assertThatThrownBy(() -> Blocks.strided(0, 8, -16, 2))
                .hasMessageContaining("block 1 must lie at 0 to 2^63 - 1");
        assertThatThrownBy(() -> Blocks.strided(0, 8, 8, 0)).hasMessageContaining("count=0");
        assertThatThrownBy(() -> Blocks.strided(0, 8, 16, Integer.MAX_VALUE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 16777216 blocks: count=2147483647");
        assertThatThrownBy(() -> Blocks.indexed(new long[2], new long[1])).hasMessageContaining("offsets=2 lengths=1");
    }
}
