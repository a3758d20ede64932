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
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.RefusedException;

/**
 * Messages of waits that time out, which name the missing counts, and of patterns with closed counters. Rank 0 waits.
 */
class ShortageTest {
    private static final int RANKS = 12;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Client client;
    private Context context;
    private Window window;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().ranks(RANKS).counters(32).dimensions());
        client = engines.client(0);
        context = engines.context(0);
        window = client.window(1024);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(30, SECONDS);
    }

    private static long shortDeadline() {
        return Deadline.in(2, MILLISECONDS);
    }

    /** Records a pattern that sends nothing, and waits for {@code bytes} from others. */
    private Pattern waiting(CounterPair pair, long bytes) {
        return context.record(7, Rounds.ALTERNATE, () -> {
            context.expect(pair, bytes);
            context.copy(window, 768, window, 512, 8);
        });
    }

    @Test
    void shouldNameTheCounterAndItsOneSourceWhenARoundMissesBytes() {
        final CounterPair pair = client.counterPair(window, 0, 64, 64, 2);
        final Pattern pattern = waiting(pair, 24);
        engines.context(2)
                .put(
                        new Target(0, pair.id() + 1, 1, 64, false),
                        0,
                        engines.client(2).window(8),
                        0,
                        8);
        engines.settle();
        final String missing = "round 1 of pattern 7 of 2 descriptors, generation 1; reception counter "
                + (pair.id() + 1) + " of " + pair + ", which misses 16 bytes; it admits rank 2, which is ";
        assertThatThrownBy(() -> context.await(pattern, 1, shortDeadline()))
                .isInstanceOf(DeadlineException.class)
                .hasMessage("the deadline passed while waiting for " + missing + "in the job");

        engines.states(0).change(2, PeerStates.DEAD);
        assertThatThrownBy(() -> context.await(pattern, 1, deadline()))
                .isInstanceOf(PeerFailedException.class)
                .hasMessage("rank 2 has died; waiting for " + missing + "dead");
        context.close("the reason");
        assertThatThrownBy(() -> context.await(pattern, 1, deadline())).hasMessageContaining(missing);
    }

    @Test
    void shouldNameEveryCounterThatARoundMissesAndTheStatesOfTheRanks() {
        final CounterPair everybody = client.counterPair(window, 0, 64, 64);
        final CounterPair left = client.counterPair(window, 128, 192, 64, 5);
        final CounterPair met = client.counterPair(window, 256, 320, 64, 3);
        final Pattern pattern = context.record(7, Rounds.ALTERNATE, () -> {
            context.expect(everybody, 24);
            context.expect(left, 8);
            context.expect(met, 0);
            context.copy(window, 768, window, 512, 8);
        });
        engines.states(0).change(5, PeerStates.LEFT);
        assertThatThrownBy(() -> context.await(pattern, 1, shortDeadline()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContainingAll(
                        "of " + everybody
                                + ", which misses 24 bytes; it admits everybody: ranks 1 to 4, 6 to 11 are in the"
                                + " job, rank 5 is gone, having left the job; ",
                        "of " + left + ", which misses 8 bytes; it admits rank 5, which is gone, having left the job")
                .hasMessageNotContaining(met.toString());
        engines.states(0).change(1, PeerStates.DEAD);
        engines.states(0).change(3, PeerStates.DEAD);
        assertThatThrownBy(() -> context.await(pattern, 1, deadline()))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("everybody: ranks 2, 4, 6 to 11 are in the job, rank 5 is gone, having left the"
                        + " job, ranks 1, 3 are dead");
    }

    @Test
    void shouldReportTheAdmittedRanksOfASingleCounter() {
        final ReceptionCounter nobody = client.receptionCounter(window, 0, 8, ReceptionCounter.NOBODY);
        final ReceptionCounter self = client.receptionCounter(window, 0, 8, 0);
        nobody.expect(3);
        self.expect(4);
        assertThatThrownBy(() -> context.await(nobody, shortDeadline()))
                .hasMessageContaining(
                        nobody + ", which misses 3 bytes; it admits nobody, so that rank 0 alone can change it");
        assertThatThrownBy(() -> context.await(self, shortDeadline()))
                .hasMessageContaining(self + ", which misses 4 bytes; it admits rank 0, which is this rank itself");
    }

    @Test
    void shouldNotListEveryRankOfALargeJob(@TempDir Path other) {
        engines.close();
        engines = EngineFixture.open(
                other, NodeSize.small().ranks(40).counters(64).dimensions());
        client = engines.client(0);
        context = engines.context(0);
        window = client.window(1024);
        final ReceptionCounter counter = client.receptionCounter(window, 0, 8);
        counter.expect(1);
        for (int rank = 1; rank < 40; rank += 2) {
            engines.states(0).change(rank, PeerStates.LEFT);
        }
        assertThatThrownBy(() -> context.await(counter, shortDeadline()))
                .hasMessageContaining("ranks 2, 4, 6, 8, 10, 12, 14, 16 and 11 more are in the job, ranks 1, 3, 5, 7,"
                        + " 9, 11, 13, 15 and 12 more are gone");
    }

    @Test
    void shouldReportTheReasonForWhichTheEngineHoldsARound() {
        final CounterPair gate = client.counterPair(window, 0, 64, 64, 2);
        final Pattern held = context.record(7, Rounds.ALTERNATE, () -> {
            context.expect(gate, 10);
            context.waitUntil(gate, 4);
            context.copy(window, 768, window, 512, 8);
        });
        engines.settle();
        assertThatThrownBy(() -> context.await(held, 1, shortDeadline()))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("generation 1, which is not executed yet; a WAIT holds it: reception counter "
                        + (gate.id() + 1) + " of " + gate + ", which misses 6 bytes; it admits rank 2");
    }

    @Test
    void shouldRefuseAStalePatternByNameUntilItIsRerecorded() {
        final Client peer = engines.client(1);
        final Window there = peer.window(64);
        final ReceptionCounter first = peer.receptionCounter(there, 0, 8);
        peer.publish("place", first);
        final Target gone = context.attach(1, "place", deadline());
        final Pattern pattern = context.record(7, Rounds.ORDERED_BY_CALLER, () -> context.put(gone, 0, window, 0, 8));
        context.await(pattern, 1, deadline());
        peer.close(first);
        engines.settle();

        assertThat(context.replay(pattern))
                .as("the refusal has not arrived yet")
                .isEqualTo(2);
        final String stale =
                "pattern 7 of 1 descriptors, generation 2 is stale: rank 1 refused a round of it, the counter"
                        + " was closed and its id given to another use; attach to the counter that rank 1 publishes"
                        + " now, and record the pattern again";
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> context.await(pattern, 2, deadline()))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            refused -> assertThat(refused.rank()).isEqualTo(1))
                    .hasMessage(stale);
            assertThatThrownBy(() -> context.replay(pattern))
                    .isInstanceOf(RefusedException.class)
                    .hasMessage(stale);
        }
        assertThat(pattern.generation()).as("no round was started").isEqualTo(2);

        final ReceptionCounter second = peer.receptionCounter(there, 0, 8);
        peer.publish("place", second);
        final Target now = context.attach(1, "place", deadline());
        final Pattern anew = context.record(7, Rounds.ORDERED_BY_CALLER, () -> context.put(now, 0, window, 0, 8));
        context.await(anew, 3, deadline());
        assertThat(context.replay(anew)).isEqualTo(4);
        context.await(anew, 4, deadline());
        assertThat(second.valueAcquire()).isEqualTo(-16);
        pattern.close();
    }

    @Test
    void shouldNotCloseAPairOfWhichAPatternNamesTheOddOneAlone() {
        final CounterPair pair = client.counterPair(window, 0, 64, 64);
        final Pattern pattern = context.record(7, Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(pair.counter(1), 0);
            context.copy(window, 768, window, 512, 8);
        });
        assertThatThrownBy(() -> client.close(pair))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(pair + " is used by pattern 7 of context 0 of rank 0: close the pattern first");
        context.await(pattern, 1, deadline());
        pattern.close();
        client.close(pair);
        assertThatThrownBy(() -> context.await(pair.counter(1), deadline())).isInstanceOf(ClosedException.class);
    }
}
