package org.segno.engine.doorbell;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WakePipeTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(40);
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(3);

    /** More than a pipe holds by default. */
    private static final int MANY = 1 << 17;

    private final WakePipe pipe = Objects.requireNonNull(WakePipe.take());

    @AfterEach
    void giveBack() {
        Thread.interrupted();
        WakePipe.giveBack(pipe);
    }

    private PipeFile opened() throws IOException {
        return PipeFile.open(PipeFile.path(ProcessHandle.current().pid(), pipe.descriptor()));
    }

    @Test
    void shouldBeFoundThroughItsPublishedDescriptor() throws IOException {
        assertThat(PipeFile.inode(PipeFile.OWN.resolve(Integer.toString(pipe.descriptor()))))
                .isEqualTo(pipe.inode())
                .isNotZero();
        try (PipeFile peer = opened()) {
            peer.ring();

            pipe.await(LONG_NS);

            assertThat(peer.available()).isZero();
        }
    }

    @Test
    void shouldWakeAThreadThatBlocks() throws Exception {
        final Thread ringing = new Thread(() -> {
            // Most often this thread blocks first. The result is the same either way.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            pipe.ring();
        });
        ringing.start();

        pipe.await(LONG_NS);

        ringing.join();
    }

    @Test
    void shouldWakeOnceForManyRingsAndNotAgain() {
        for (int i = 0; i < 100; i++) {
            pipe.ring();
        }
        pipe.await(LONG_NS);

        final long beginNs = System.nanoTime();
        pipe.await(SHORT_NS);

        assertThat(System.nanoTime() - beginNs).isGreaterThanOrEqualTo(SHORT_NS - 1_000_000);
    }

    @Test
    void shouldNotBlockARingerWhileNobodyReads() throws IOException {
        try (PipeFile peer = opened()) {
            for (int i = 0; i < MANY; i++) {
                peer.ring();
            }
            assertThat(peer.available()).isEqualTo(1);
        }
        pipe.await(LONG_NS);
    }

    @Test
    void shouldReleaseTheNextWaitWithoutAByte() throws IOException {
        pipe.release();

        pipe.await(LONG_NS);

        try (PipeFile peer = opened()) {
            assertThat(peer.available()).isZero();
        }
    }

    @Test
    void shouldReturnAtOnceWhileTheThreadIsInterruptedAndStayUsable() {
        Thread.currentThread().interrupt();
        pipe.await(LONG_NS);
        pipe.ring();
        pipe.await(LONG_NS);
        assertThat(Thread.interrupted()).isTrue();

        pipe.ring();
        pipe.await(LONG_NS);
        final long beginNs = System.nanoTime();
        pipe.await(SHORT_NS);

        assertThat(System.nanoTime() - beginNs).isGreaterThanOrEqualTo(SHORT_NS - 1_000_000);
    }

    @Test
    void shouldGiveTheNextUserTheSamePipe() {
        final WakePipe other = Objects.requireNonNull(WakePipe.take());
        final long inode = other.inode();
        WakePipe.giveBack(other);

        final WakePipe next = Objects.requireNonNull(WakePipe.take());

        assertThat(next.inode()).isEqualTo(inode).isNotEqualTo(pipe.inode());
        WakePipe.giveBack(next);
    }

    @Test
    void shouldAllocateNothingToRingAndToBlock() throws IOException {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (PipeFile peer = opened()) {
            for (int i = 0; i < 20_000; i++) {
                ringAndBlock(peer);
            }
            final long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 2_000; i++) {
                ringAndBlock(peer);
            }
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(2_000);
        }
    }

    private void ringAndBlock(PipeFile peer) throws IOException {
        peer.ring();
        pipe.await(LONG_NS);
        pipe.ring();
        pipe.await(LONG_NS);
    }
}
