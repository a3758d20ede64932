package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.context.Injector;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;

class NestedBatchTest {
    private static final int RECEIVED = 3;
    private static final int REQUEST = 4;
    private static final UnsafeBuffer WORD = new UnsafeBuffer(new byte[Long.BYTES]);

    @TempDir
    Path directory;

    private InProcessJob job;
    private Context context;
    private FifoMetadata fifo;
    private final List<Long> received = new ArrayList<>();

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                directory,
                2,
                NodeConfig.defaults()
                        .withThreading(NodeConfig.Threading.INVOKER)
                        .withWindowBytes(1 << 16)
                        .withFifoSlots(8));
        context = job.context(0);
        fifo = new FifoMetadata(job.node(0).memory(), 0, 0);
        job.context(1).handler(RECEIVED, (source, buffer, m, ml, p, pl) -> received.add(buffer.getLong(p)));
    }

    @AfterEach
    void close() {
        job.close();
    }

    private void send(long value) {
        WORD.putLong(0, value);
        assertThat(context.sendImmediate(1, RECEIVED, WORD, 0, Long.BYTES)).isNotNegative();
    }

    @Test
    void shouldPublishAnInnerBatchOnlyWithTheOuterOne() {
        final long position = context.batch(4, () -> {
            send(1);
            assertThat(context.batch(2, () -> {
                        send(2);
                        send(3);
                    }))
                    .as("the position of its last descriptor")
                    .isEqualTo(2);
            send(4);
            assertThat(fifo.tailAcquire()).isZero();
        });

        assertThat(position).isEqualTo(3);
        assertThat(context.isCarriedOut(position)).isFalse();
        assertThat(fifo.tailAcquire()).isEqualTo(4);
        job.settle();
        assertThat(received).containsExactly(1L, 2L, 3L, 4L);
        assertThat(context.isCarriedOut(position)).isTrue();
    }

    @Test
    void shouldReturnAPositionThatIsCarriedOutAlsoForNoDescriptors() {
        assertThat(context.isCarriedOut(context.batch(1, () -> {}))).isTrue();
        send(1);
        job.settle();
        assertThat(context.isCarriedOut(context.batch(1, () -> {}))).isTrue();
    }

    @Test
    void shouldPublishAVectoredTransferOnlyWithTheBatchAroundIt() {
        final Window near = job.node(0).client().window(64);
        final Window far = job.node(1).client().window(64);
        final ReceptionCounter counter = job.node(1).client().receptionCounter(far, 0, 64, 0);
        job.node(1).client().publish("far", counter);
        final Target target = context.attach(1, "far", InProcessJob.deadline());
        final long before = fifo.tailAcquire();

        context.batch(3, () -> {
            assertThat(new Vectored(context)
                            .put(target, Blocks.contiguous(0, 16), near, Blocks.strided(0, 8, 32, 2), null))
                    .as("the position of its last part")
                    .isEqualTo(before + 1);
            send(1);
            assertThat(fifo.tailAcquire()).isEqualTo(before);
        });

        assertThat(fifo.tailAcquire()).isEqualTo(before + 3);
    }

    @Test
    void shouldRefuseAnInnerBatchThatExceedsTheOuterOneBeforeItsBody() {
        context.batch(3, () -> {
            send(1);
            assertThatThrownBy(() -> context.batch(3, () -> send(-1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the inner batch does not fit the open one: descriptors=3, but the open one has 2 left"
                            + " of its declared maximum; declare a larger maximum for the outer batch");
            assertThatThrownBy(() -> context.batch(-1, () -> send(-1))).hasMessageContaining("descriptors=-1");
            assertThatThrownBy(() -> context.batch(0, () -> send(-1)))
                    .hasMessageContaining("more descriptors than its declared maximum");
            context.batch(0, () -> {});
            send(2);
            context.batch(1, () -> send(3));
        });

        job.settle();
        assertThat(received).containsExactly(1L, 2L, 3L);
    }

    @Test
    void shouldRefuseWaitsAndPassesWithinABatchOfAnyFifoOfTheContext() {
        final InjectionFifo further = context.injectionFifo();
        final InjectionCounter read = job.node(0).client().injectionCounter();
        final long deadline = InProcessJob.deadline();
        final List<ThrowingCallable> refused = List.of(
                context::advance,
                () -> context.fence(deadline),
                () -> context.await(read, deadline),
                () -> context.await(() -> true, deadline),
                () -> context.barrier(deadline),
                () -> context.attach(1, "far", deadline));
        for (final Injector injector : List.of(context, further)) {
            injector.batch(4, () -> {
                send(1);
                injector.batch(
                        1,
                        () -> refused.forEach(each -> assertThatThrownBy(each)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("is not possible within a batch")));
                send(2);
            });
        }
        context.fence(deadline);
        job.settle();

        assertThat(received).containsExactly(1L, 2L, 1L, 2L);
    }

    @Test
    void shouldRunPostedWorkOnlyAfterABatch() {
        context.post(() -> {
            send(3);
            return 0;
        });
        context.batch(1, () -> {
            assertThatThrownBy(context::advance).isInstanceOf(IllegalStateException.class);
            send(1);
        });
        assertThatThrownBy(() -> context.batch(1, () -> {
                    throw new UnsupportedOperationException("thrown by the body");
                }))
                .isInstanceOf(UnsupportedOperationException.class);
        job.settle();

        assertThat(received).containsExactly(1L, 3L);
    }

    @Test
    void shouldContinueABatchInAHandlerAfterAnInnerOne() {
        context.replyingHandler(REQUEST, (source, buffer, m, ml, p, pl) -> {
            WORD.putLong(0, -1);
            return context.batch(2, () -> {
                context.batch(1, () -> context.sendImmediate(source, RECEIVED, WORD, 0, Long.BYTES));
                context.sendImmediate(source, RECEIVED, WORD, 0, Long.BYTES);
            });
        });
        job.context(1).sendImmediate(0, REQUEST, WORD, 0, Long.BYTES);
        job.settle();

        assertThat(received).containsExactly(-1L, -1L);
    }
}
