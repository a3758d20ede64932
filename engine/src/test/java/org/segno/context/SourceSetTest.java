package org.segno.context;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/** Counters of rank 0 that admit a set of ranks: 1 and 3 of five. */
class SourceSetTest {
    private static final int RANKS = 5;
    private static final int[] SET = {3, 1};

    /** Number of passes within which an engine is quiet twice. */
    private static final int TWICE_QUIET = 128;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Context context;
    private Window window;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory,
                NodeSize.small().ranks(RANKS).fifos(3).windowBytes(4096).dimensions());
        client = engines.client(0);
        context = engines.context(0);
        window = client.window(64);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(10, SECONDS);
    }

    private static long soon() {
        return Deadline.in(5, MILLISECONDS);
    }

    private void dies(int rank) {
        for (int other = 0; other < RANKS; other++) {
            engines.states(other).change(rank, PeerStates.DEAD);
        }
    }

    @Test
    void shouldAdmitTheRanksOfTheSetOnly() {
        final ReceptionCounter counter = client.receptionCounter(window, 0, 8, SET);
        client.publish("in", counter);
        for (int rank = 0; rank < RANKS; rank++) {
            final Client sender = engines.client(rank);
            final Window source = rank == 0 ? window : sender.window(8);
            final InjectionCounter sent = sender.injectionCounter();
            final Target in = engines.context(rank).attach(0, "in", deadline());
            final Context from = engines.context(rank);
            counter.expect(rank == 1 || rank == 3 ? 8 : 0);
            sent.expect(8);
            from.put(in, 0, source, 0, 8, sent);
            if (rank == 1 || rank == 3) {
                from.await(sent, deadline());
            } else {
                assertThatThrownBy(() -> from.await(sent, deadline()))
                        .as("rank " + rank)
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("the counter does not admit this source");
            }
            assertThat(counter.valueAcquire()).isZero();
        }
    }

    @Test
    void shouldFailOnlyWaitsWhoseSetContainsTheDeadRank() {
        final ReceptionCounter counter = client.receptionCounter(window, 0, 8, SET);
        counter.expect(8);
        dies(2);
        assertThatThrownBy(() -> context.await(counter, soon()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("misses 8 bytes; it admits a set of ranks: ranks 1, 3 are in the job");
        dies(3);
        assertThatThrownBy(() -> context.await(counter, deadline()))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("rank 3 has died")
                .hasMessageContaining("a set of ranks: rank 1 is in the job, rank 3 is dead");
    }

    @Test
    void shouldEndAWaitWhenAllRanksOfTheSetHaveLeft() {
        final ReceptionCounter counter = client.receptionCounter(window, 0, 8, SET);
        counter.expect(8);
        engines.states(0).change(1, PeerStates.LEFT);
        assertThatThrownBy(() -> context.await(counter, soon())).isInstanceOf(DeadlineException.class);
        engines.states(0).change(3, PeerStates.LEFT);
        assertThatThrownBy(() -> context.await(counter, deadline()))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("every possible sender has left");
    }

    @Test
    void shouldHoldAWaitDescriptorUntilARankOfTheSetDies() {
        final ReceptionCounter gate = client.receptionCounter(window, 0, 8, SET);
        gate.expect(1);
        context.waitUntil(gate, 0);
        dies(4);
        engines.settle();
        assertThat(context.isDrained()).as("a death outside the set").isFalse();
        dies(1);
        engines.settle();
        assertThat(context.isDrained()).as("the engine gives up").isTrue();
        assertThat(engines.metrics(0).get(Refusal.PEER_DEAD)).isEqualTo(1);
    }

    @Test
    void shouldMakeAPatternStaleWhenARankOfTheSetDies() {
        final CounterPair pair = client.counterPair(window, 0, 8, 8, SET);
        final Pattern pattern = context.prepare(Rounds.ALTERNATE, () -> context.expect(pair, 8));
        dies(2);
        assertThat(context.replay(pattern)).isEqualTo(1);
        assertThatThrownBy(() -> context.await(pattern, 1, soon())).isInstanceOf(DeadlineException.class);
        dies(3);
        assertThatThrownBy(() -> context.await(pattern, 1, deadline()))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("rank 3 has died");
        final ReceptionCounter other = client.receptionCounter(window, 16, 8, new int[] {3, 4});
        final Pattern stale = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.expect(other, 8));
        assertThatThrownBy(() -> context.replay(stale))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("is stale: rank 3");
    }

    @Test
    void shouldWaitWithTheReuseOfAnIdForTheRanksOfTheSet() {
        for (int rank = 0; rank < RANKS; rank++) {
            passes(rank);
        }
        final Closing closing = client.close(client.receptionCounter(window, 0, 8, SET));
        passes(0);
        passes(1);
        assertThat(closing.isDone()).isFalse();
        passes(3);
        assertThat(closing.isDone()).isTrue();
    }

    private void passes(int rank) {
        for (int i = 0; i < TWICE_QUIET; i++) {
            engines.pass(rank);
        }
    }
}
