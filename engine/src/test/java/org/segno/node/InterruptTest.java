package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.context.ProgressThread;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.Status;

/** Interrupts of threads that use a node: they end nothing, and the thread's flag stays set. */
@OverMemoryAndLinks
class InterruptTest {
    private static final int ID = 7;

    @TempDir
    Path parent;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
    private long received;

    @AfterEach
    void clearFlag() {
        Thread.interrupted();
    }

    @ParameterizedTest
    @EnumSource
    void shouldCarryOutMessagesSentAfterAnIdlePassOfAnInterruptedThread(Threading mode) {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(mode, 2))) {
            receive(job.context(1));
            job.settle();
            Thread.currentThread().interrupt();
            for (int pass = 0; pass < 100; pass++) {
                job.context(0).advance();
            }
            assertThat(Thread.currentThread().isInterrupted()).isTrue();

            send(job.context(0), 3);
            awaitReceived(job, 3);

            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            job.context(0).fence(InProcessJob.deadline());
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 4, unit = TimeUnit.SECONDS)
    @MappedOnly(value = MappedOnly.ONE_THREAD, threading = "INVOKER")
    void shouldCloseAtOnceAndLoseNothingWhenTheClosingThreadIsInterrupted(Threading mode) {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(mode, 2))) {
            receive(job.context(1));
            job.settle();
            // More messages than the lane holds would wait for its reader: the FIFO's slots are fewer.
            send(job.context(0), 8);
            Thread.currentThread().interrupt();
            job.context(0).advance();

            job.node(0).close();

            assertThat(Thread.interrupted()).isTrue();
            awaitReceived(job, 8);
            assertThat(job.node(0).metrics().records()).isEqualTo(8);
        }
    }

    /** Closes a node by an interrupted thread: the progress thread's pass must be over before the node drains. */
    @ParameterizedTest
    @EnumSource(names = "INVOKER")
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldEndTheProgressThreadWhenTheClosingThreadIsInterrupted(Threading mode) {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(mode, 2))) {
            receive(job.context(1));
            final ProgressThread progress = job.context(0).progress(() -> new SleepingMillisIdleStrategy(50));
            job.context(0).lock();
            try {
                send(job.context(0), 8);
            } finally {
                job.context(0).unlock();
            }
            Thread.currentThread().interrupt();

            job.node(0).close();

            assertThat(Thread.interrupted()).isTrue();
            assertThat(progress.isRunning()).isFalse();
            awaitReceived(job, 8);
        }
    }

    /** Interrupts an engine's own thread, which an application can find. */
    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "SHARED"})
    void shouldNotEndAnEnginesThreadByAnInterrupt(Threading mode) {
        try (InProcessJob job =
                InProcessJob.join(parent, 2, SmallNodes.config(mode, 2).withIdle(InterruptTest::sleeping))) {
            receive(job.context(1));
            for (int round = 1; round <= 20; round++) {
                Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("segno-dma"))
                        .forEach(Thread::interrupt);
                send(job.context(0), 1);
                awaitReceived(job, round);
            }
        }
    }

    /** Interrupts a thread of the membership: with its flag set, a thread that uses a channel would close it. */
    @ParameterizedTest
    @ValueSource(strings = {"segno-membership", "segno-hub"})
    void shouldNotLoseTheJobWhenAThreadOfItsMembershipIsInterrupted(String name) {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith(name))
                    .forEach(Thread::interrupt);

            job.node(1).close();

            assertThatThrownBy(() -> job.context(0).await(() -> false, InProcessJob.deadline()))
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("every possible sender has left the job");
            assertThat(job.node(0).peerState(1)).isEqualTo(Node.PeerState.LEFT);
        }
    }

    private static IdleStrategy sleeping() {
        return new SleepingMillisIdleStrategy(1);
    }

    private void receive(Context context) {
        context.handler(ID, (source, buffer, m, ml, p, pl) -> received++);
    }

    private void send(Context context, int count) {
        for (int i = 0; i < count; i++) {
            while (context.sendImmediate(1, ID, bytes, 0, 8) == Status.BACK_PRESSURED) {
                context.advance();
            }
        }
    }

    /** Advances both ranks, the sender as long as it is open. */
    private void awaitReceived(InProcessJob job, int count) {
        final long deadlineNs = InProcessJob.deadline();
        while (received < count && !Deadline.reached(deadlineNs)) {
            try {
                job.context(0).advance();
            } catch (ClosedException ignored) {
                // It has sent everything before its end.
            }
            job.context(1).advance();
        }
        assertThat(received).isEqualTo(count);
    }
}
