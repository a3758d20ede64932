package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.ClosedException;
import org.segno.status.PeerFailedException;

/**
 * Idle strategies that throw: the exception ends the engine's thread, the nodes of the thread fail by name, and new
 * ones work.
 */
@Timeout(60)
@OverMemoryAndLinks
class IdleErrorTest {
    @TempDir
    Path parent;

    @TempDir
    Path other;

    private final AtomicBoolean armed = new AtomicBoolean();

    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "SHARED"})
    void shouldFailTheNodesOfAThreadThatItsIdleStrategyEnds(Threading mode) {
        final NodeConfig healthy = SmallNodes.config(Threading.INVOKER, 2);
        final NodeConfig failing = SmallNodes.config(mode, 2).withIdle(Failing::new);
        try (InProcessJob job = InProcessJob.join(parent, List.of(healthy, failing))) {
            armed.set(true);

            assertThatThrownBy(() -> job.context(1).await(() -> false, InProcessJob.deadline()))
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("rank 1 has failed: segno-dma-1 ended with java.lang.StackOverflowError");
            assertThatThrownBy(() -> job.context(0).await(() -> false, InProcessJob.deadline()))
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessageContaining("rank 1 has died");
            final long startNs = System.nanoTime();
            job.node(1).close();
            assertThat(System.nanoTime() - startNs).isLessThan(4_000_000_000L);
        }
    }

    @Test
    void shouldRunEnginesOfLaterNodesOnANewThread() {
        final NodeConfig failing = SmallNodes.config(Threading.SHARED, 1).withIdle(Failing::new);
        try (InProcessJob first = InProcessJob.join(parent, 1, failing)) {
            armed.set(true);
            assertThatThrownBy(() -> first.context(0).await(() -> false, InProcessJob.deadline()))
                    .isInstanceOf(ClosedException.class);
            armed.set(false);
            try (InProcessJob second = InProcessJob.join(other, 1, failing)) {
                second.context(0).handler(3, (source, buffer, m, ml, p, pl) -> armed.set(true));
                second.context(0)
                        .sendImmediate(0, 3, second.node(0).client().window(8).buffer(), 0, 8);
                second.context(0).await(armed::get, InProcessJob.deadline());
            }
        }
    }

    /** Ends the thread possibly before its engine is added to it. */
    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "SHARED"})
    void shouldFailANodeWhenItsThreadEndsAtItsFirstIdlePass(Threading mode) {
        armed.set(true);
        for (int round = 0; round < 20; round++) {
            final NodeConfig failing = SmallNodes.config(mode, 1).withIdle(Failing::new);
            try (InProcessJob job = InProcessJob.join(parent, 1, failing)) {
                assertThatThrownBy(() -> job.context(0).await(() -> false, InProcessJob.deadline()))
                        .isInstanceOf(ClosedException.class)
                        .hasMessageContaining("StackOverflowError");
            }
        }
    }

    /** Makes logging fail as well, as without memory. */
    @Test
    void shouldFailTheNodeEvenIfTheErrorCannotBeLogged() {
        final Logger logger = Logger.getLogger(EngineThread.class.getName());
        final Handler failing = new FailingHandler();
        logger.addHandler(failing);
        final NodeConfig config = SmallNodes.config(Threading.DEDICATED, 2).withIdle(Failing::new);
        try (InProcessJob job = InProcessJob.join(parent, List.of(SmallNodes.config(Threading.INVOKER, 2), config))) {
            armed.set(true);

            assertThatThrownBy(() -> job.context(0).await(() -> false, InProcessJob.deadline()))
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessageContaining("rank 1 has died");
        } finally {
            logger.removeHandler(failing);
        }
    }

    /** Log handler that runs out of memory. */
    private static final class FailingHandler extends Handler {
        @Override
        public void publish(LogRecord entry) {
            throw new OutOfMemoryError("made by a test");
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** Strategy that throws on an engine's thread once armed; a context's waits use it too. */
    private final class Failing implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            if (armed.get() && Thread.currentThread().getName().startsWith("segno-dma")) {
                throw new StackOverflowError("made by a test");
            }
            Thread.onSpinWait();
        }

        @Override
        public void reset() {}
    }
}
