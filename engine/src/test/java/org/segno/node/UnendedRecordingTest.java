package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ThreadLevel;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;

/** Recordings from begin to end in each threading mode, and nodes that are closed while one is open. */
@Timeout(120)
@OverMemoryAndLinks
class UnendedRecordingTest {
    private static final int ID = 7;
    private static final int ROUNDS = 200;

    @TempDir
    Path directory;

    private InProcessJob join(Threading threading) {
        return InProcessJob.join(
                directory,
                2,
                NodeConfig.defaults()
                        .withThreading(threading)
                        .withThreadLevel(ThreadLevel.SERIALIZED)
                        .withWindowBytes(1 << 14));
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldReplayWhatWasRecordedBetweenBeginAndEnd(Threading threading) throws Exception {
        try (InProcessJob job = join(threading)) {
            job.onThreads(rank -> {
                final Context context = job.context(rank);
                final Window window = job.node(rank).client().window(256);
                final CounterPair pair = job.node(rank).client().counterPair(window, 64, 128, 8);
                job.node(rank).client().publish("pair", pair);
                final Target peer = context.attach(1 - rank, "pair", InProcessJob.deadline());
                window.buffer().putLong(0, 1);
                context.recordBegin(ID, Rounds.ALTERNATE);
                context.expect(pair, 8);
                context.put(peer, 0, window, 0, 8);
                final Pattern pattern = context.recordEnd();
                for (long round = 1; round <= ROUNDS; round++) {
                    context.await(pattern, round, InProcessJob.deadline());
                    assertThat(window.buffer().getLong((int) pair.offset(round)))
                            .isEqualTo(round);
                    window.buffer().putLong(0, round + 1);
                    assertThat(round == ROUNDS ? 0 : context.replay(pattern))
                            .isEqualTo(round == ROUNDS ? 0 : round + 1);
                }
                context.barrier(InProcessJob.deadline());
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldAbandonWhenTheNodeIsClosed(Threading threading) {
        final InProcessJob job = join(threading);
        final Context context = job.context(0);
        final Window window = job.node(0).client().window(256);
        window.buffer().putLong(0, 5);
        context.recordBegin(ID, Rounds.ALTERNATE);
        context.copy(window, 0, window, 64, 8);
        assertClosesSoon(job);
        assertThatThrownBy(context::recordEnd).isInstanceOf(ClosedException.class);
        assertThatThrownBy(context::recordAbandon).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> context.recordBegin(ID, Rounds.ALTERNATE)).isInstanceOf(ClosedException.class);
        assertThat(window.buffer().getLong(64))
                .as("executed before the node ended")
                .isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldAbandonWhenTheThreadThatBeganHasEnded(Threading threading) throws InterruptedException {
        final InProcessJob job = join(threading);
        final Context context = job.context(0);
        final Thread other = new Thread(() -> {
            context.lock();
            context.recordBegin(ID, Rounds.ALTERNATE);
            context.unlock();
        });
        other.start();
        other.join();
        assertClosesSoon(job);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldEndABodyThatClosesTheNode(Threading threading) {
        final InProcessJob job = join(threading);
        final Context context = job.context(0);
        assertThatThrownBy(() -> context.record(ID, Rounds.ALTERNATE, () -> assertClosesSoon(job)))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("rank 0 was closed");
    }

    /** An open recording would hold a close for five seconds. */
    private static void assertClosesSoon(InProcessJob job) {
        final long beganNs = System.nanoTime();
        job.close();
        assertThat(System.nanoTime() - beganNs).isLessThan(TimeUnit.SECONDS.toNanos(4));
    }
}
