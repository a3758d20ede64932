package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.status.Status;

class MulticastTest {
    private static final int RANKS = 3;
    private static final int DISPATCH = 9;

    @TempDir
    Path directory;

    private InProcessJob job;
    private Context context;
    private Window window;
    private final List<String> received = new ArrayList<>();

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                directory,
                RANKS,
                NodeConfig.defaults()
                        .withThreading(NodeConfig.Threading.INVOKER)
                        .withWindowBytes(1 << 16)
                        .withFifoSlots(8));
        context = job.context(0);
        window = job.node(0).client().window(1024);
        for (int rank = 0; rank < RANKS; rank++) {
            final int self = rank;
            job.context(rank)
                    .handler(
                            DISPATCH,
                            (source, buffer, m, ml, p, pl) ->
                                    received.add(self + " received " + (ml == 0 ? 0 : buffer.getLong(m))
                                            + (pl == 0 ? "" : " and " + buffer.getLong(p))));
        }
    }

    @AfterEach
    void close() {
        job.close();
    }

    private static long[] all() {
        final long[] endpoints = new long[RANKS];
        for (int rank = 0; rank < RANKS; rank++) {
            endpoints[rank] = Endpoint.of(rank, 0, 0, 0);
        }
        return endpoints;
    }

    @Test
    void shouldSendTheContentsOfTheWindowsAtEachStart() {
        final Multicast cast = new Multicast(context, DISPATCH, window, all())
                .metadata(window, 0, 16)
                .payload(window, 64, 8);
        for (int round = 1; round <= 100; round++) {
            window.buffer().putLong(0, round);
            window.buffer().putLong(64, -round);
            assertThat(cast.start()).isEqualTo(round);
            assertThat(cast.isComplete()).isFalse();
            assertThat(cast.start()).isEqualTo(Status.BUSY);
            job.settle();
            assertThat(cast.isComplete()).isTrue();
            assertThat(received)
                    .containsExactlyInAnyOrder(
                            "0 received " + round + " and " + -round,
                            "1 received " + round + " and " + -round,
                            "2 received " + round + " and " + -round);
            received.clear();
        }
    }

    @Test
    void shouldRerecordWhenItsArgumentsChange() {
        final Multicast cast = new Multicast(context, DISPATCH, window, all()).metadata(window, 0, 8);
        window.buffer().putLong(0, 1);
        window.buffer().putLong(512, 2);
        cast.start();
        job.settle();
        received.clear();

        cast.metadata(window, 512, 8);
        cast.start();
        job.settle();
        assertThat(received).containsExactlyInAnyOrder("0 received 2", "1 received 2", "2 received 2");
        received.clear();

        cast.payload(window, 512, 8);
        cast.start();
        job.settle();
        assertThat(received).contains("1 received 2 and 2");
    }

    @Test
    void shouldNotBeCompleteBeforeItsPreviousArgumentsAreRead() {
        final Multicast cast = new Multicast(context, DISPATCH, window, all()).metadata(window, 0, 8);
        window.buffer().putLong(0, 1);
        cast.start();
        cast.metadata(window, 512, 8);
        assertThat(cast.isComplete()).isFalse();
        assertThat(cast.start()).isEqualTo(Status.BUSY);

        cast.await(InProcessJob.deadline());
        assertThat(cast.isComplete()).isTrue();
        window.buffer().putLong(0, -1);
        job.settle();
        assertThat(received).containsExactlyInAnyOrder("0 received 1", "1 received 1", "2 received 1");
    }

    @Test
    void shouldCompleteItsLastRoundWhileANewRecordingDoesNotFit() {
        final Multicast cast = new Multicast(context, DISPATCH, window, all()).metadata(window, 0, 8);
        final List<Multicast> others = new ArrayList<>();
        assertThat(cast.start()).isEqualTo(1);
        job.settle();
        cast.metadata(window, 512, 8);
        long status = 0;
        for (int i = 0; status >= 0; i++) {
            assertThat(i).as("starts until the run ring is full").isLessThan(100_000);
            others.add(new Multicast(context, DISPATCH, window, all()));
            status = others.get(i).start();
        }
        assertThat(status).isEqualTo(Status.BACK_PRESSURED);

        assertThat(cast.start()).isEqualTo(Status.BACK_PRESSURED);
        assertThat(cast.isComplete()).isTrue();
        cast.await(InProcessJob.deadline());

        job.settle();
        assertThat(cast.start()).isEqualTo(2);
        job.settle();
    }

    @Test
    void shouldRejectAStartInAHandler() {
        final Multicast cast = new Multicast(context, DISPATCH, window, all());
        context.replyingHandler(7, (source, buffer, m, ml, p, pl) -> {
            assertThatThrownBy(cast::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a handler cannot start multicast")
                    .hasMessageContaining("posted work");
            received.add("refused");
            return 0;
        });
        job.context(1).sendImmediate(0, 7, new UnsafeBuffer(new byte[8]), 0, 8);
        job.settle();
        assertThat(received).containsExactly("refused");
        assertThat(cast.start()).isEqualTo(1);
    }

    @Test
    void shouldReportAnInvalidTarget() {
        assertThatThrownBy(() -> new Multicast(context, DISPATCH, window, Endpoint.of(7, 0, 0, 0)))
                .hasMessageContaining("rank=7");
        assertThatThrownBy(() -> new Multicast(context, DISPATCH, window, -1L)).hasMessageContaining("rank=-1");
        assertThatThrownBy(() -> context.batch(9, () -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the FIFO has 8 slots")
                .hasMessageContaining("withFifoSlots");
        assertThatThrownBy(() -> context.batch(1, () -> {
                    context.copy(window, 0, window, 64, 8);
                    context.copy(window, 0, window, 64, 8);
                }))
                .hasMessageContaining("more descriptors than its declared maximum");
        job.settle();
        // The refused calls have left nothing behind.
        final Multicast cast = new Multicast(context, DISPATCH, window, all());
        assertThat(cast.start()).isEqualTo(1);
        job.settle();
        assertThat(received).hasSize(RANKS);
        cast.close();
        assertThatThrownBy(cast::start).hasMessageContaining("is closed");
    }

    @Test
    void shouldSendNothingWithoutReceivers() {
        try (Multicast cast = new Multicast(context, DISPATCH, window).payload(window, 0, 8)) {
            assertThat(cast).hasToString("multicast of dispatch id " + DISPATCH + " to 0 endpoints");
            for (long round = 1; round <= 3; round++) {
                assertThat(cast.start()).isEqualTo(round);
                cast.await(InProcessJob.deadline());
                assertThat(cast.isComplete()).isTrue();
            }
        }
        job.settle();
        assertThat(received).isEmpty();
    }

    @Test
    @Tag("long")
    void shouldReleaseItsSectionWhenClosed() {
        for (int i = 0; i < 20_000; i++) {
            try (Multicast cast = new Multicast(context, DISPATCH, window, all())) {
                assertThat(cast.start()).isEqualTo(1);
                job.settle();
            }
        }
        assertThat(received).hasSize(20_000 * RANKS);
    }
}
