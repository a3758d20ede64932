package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.ClientConfig;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.saved.SavedPatterns;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/** Pattern of two contexts of one rank, which sends to itself. */
@Timeout(120)
@OverMemoryAndLinks
class JointPatternTest {
    private static final int ID = 7;

    @TempDir
    Path parent;

    private InProcessJob job;
    private Context first;
    private Context second;
    private Window window;
    private CounterPair pair;
    private Target target;

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                parent,
                1,
                NodeConfig.defaults()
                        .withThreading(Threading.INVOKER)
                        .withContexts(2)
                        .withFifoSlots(64)
                        .withPatterns(16)
                        .withRunSlots(2)
                        .withWindowBytes(4096));
        final Client client = job.node(0).client();
        first = client.context(0);
        second = client.context(1);
        window = client.window(1024);
        pair = client.counterPair(window, 512, 768, 64);
        client.publish("pair", pair);
        target = first.attach(0, "pair", InProcessJob.deadline());
    }

    @AfterEach
    void close() {
        job.close();
    }

    private void send(Context context, int offset) {
        context.put(target, offset, window, offset, 8);
    }

    private JointPattern record() {
        return JointPattern.record(
                ID,
                Rounds.ALTERNATE,
                () -> {
                    first.expect(pair, 16);
                    send(first, 0);
                    send(second, 8);
                },
                first,
                second);
    }

    @Test
    void shouldStayWhenItsIdIsRecordedAgainWhileAPartIsInProgress() {
        try (JointPattern pattern = record()) {
            for (int pass = 0; pass < 100; pass++) {
                first.advance();
            }
            assertThatThrownBy(this::record)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is still running");
            pattern.await(1, InProcessJob.deadline());
            assertThat(pattern.replay()).isEqualTo(2);
            pattern.await(2, InProcessJob.deadline());
        }
    }

    @Test
    void shouldStartAndAwaitItsSectionInEveryContext() {
        try (JointPattern pattern = record()) {
            assertThat(pattern.generation()).isEqualTo(1);
            pattern.await(1, InProcessJob.deadline());
            for (long round = 2; round <= 50; round++) {
                window.buffer().putLong(0, round);
                window.buffer().putLong(8, -round);
                assertThat(pattern.replay()).isEqualTo(round);
                assertThat(pattern.replay()).isEqualTo(Status.BUSY);
                pattern.await(round, InProcessJob.deadline());
                final int set = (int) pair.offset(round);
                assertThat(window.buffer().getLong(set)).isEqualTo(round);
                assertThat(window.buffer().getLong(set + 8)).isEqualTo(-round);
            }
            assertThat(pair.counter(0).valueAcquire()).isZero();
            assertThat(pattern.generation()).isEqualTo(50);
        }
        assertThat(first.pattern(ID)).isNull();
        assertThat(second.pattern(ID)).isNull();
    }

    @Test
    void shouldRefuseARecordingWithinItInWhicheverContext() {
        for (final Context inner : new Context[] {first, second}) {
            assertThatThrownBy(() -> JointPattern.record(
                            ID,
                            Rounds.ALTERNATE,
                            () -> {
                                send(first, 0);
                                send(second, 8);
                                inner.record(ID + 1, Rounds.ALTERNATE, () -> send(inner, 16));
                            },
                            first,
                            second))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("pattern 7 is being recorded: recordings do not nest, id=8");
            assertThat(first.pattern(ID)).isNull();
            assertThat(second.pattern(ID)).isNull();
        }
        first.fence(InProcessJob.deadline());
        second.fence(InProcessJob.deadline());
        record().await(1, InProcessJob.deadline());
    }

    @Test
    void shouldHaveAnEmptyPartWhereNothingIsInjected() {
        try (JointPattern pattern = JointPattern.record(ID, Rounds.ALTERNATE, () -> send(second, 8), first, second)) {
            pattern.await(1, InProcessJob.deadline());
            assertThat(Objects.requireNonNull(first.pattern(ID)).descriptors()).isZero();
            assertThat(pattern.replay()).isEqualTo(2);
            pattern.await(2, InProcessJob.deadline());
        }
        assertThat(second.pattern(ID)).isNull();
        assertThatThrownBy(() -> JointPattern.record(ID, Rounds.ALTERNATE, () -> send(first, 8), first, first))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pass each context once");
        assertThatThrownBy(() -> JointPattern.record(ID, Rounds.ALTERNATE, () -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldContinueAtOneRoundInAllContexts() {
        final Pattern alone = first.record(ID, Rounds.ALTERNATE, () -> send(first, 0));
        first.await(alone, 1, InProcessJob.deadline());
        assertThatThrownBy(this::record)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pattern 7 is at round 0 in one context and at 1 in another");
        alone.close();
        record().await(1, InProcessJob.deadline());
        final JointPattern anew = record();
        assertThat(anew.generation()).isEqualTo(2);
        anew.await(2, InProcessJob.deadline());
    }

    @Test
    void shouldResumeAtTheContextWithTheFullLane() {
        final JointPattern pattern = record();
        pattern.await(1, InProcessJob.deadline());
        final Pattern[] others = new Pattern[2];
        for (int i = 0; i < others.length; i++) {
            others[i] = second.record(i, Rounds.ORDERED_BY_CALLER, () -> second.copy(window, 0, window, 256, 8));
            second.await(others[i], 1, InProcessJob.deadline());
        }
        for (final Pattern other : others) {
            assertThat(second.replay(other)).isEqualTo(2);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(pattern.replay()).isEqualTo(Status.BACK_PRESSURED);
            first.advance();
        }
        assertThat(pattern.generation()).isEqualTo(1);
        second.advance();
        assertThat(pattern.replay()).isEqualTo(2);
        pattern.await(2, InProcessJob.deadline());
        assertThat(pair.counter(0).valueAcquire()).as("each has put once").isZero();
    }

    private static void close(Context context) {
        Objects.requireNonNull(context.pattern(ID)).close();
    }

    @Test
    void shouldBeFoundWhereAllContextsHaveIt() {
        assertThat(JointPattern.find(ID, first, second)).isNull();
        record().await(1, InProcessJob.deadline());
        final JointPattern found = Objects.requireNonNull(JointPattern.find(ID, first, second));
        assertThat(found.replay()).isEqualTo(2);
        found.await(2, InProcessJob.deadline());
        close(second);
        assertThatThrownBy(() -> JointPattern.find(ID, first, second))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pattern 7 is at round 0 in one context and at 2 in another");
        close(first);
        first.record(ID, Rounds.ALTERNATE, () -> send(first, 0)).close();
        assertThat(JointPattern.find(ID, first, second)).isNull();
    }

    @Test
    void shouldBeFoundOnlyWholeBeforeItsFirstRound() {
        // No round was started yet, as after a load, so only the absence of a pattern shows.
        final Path file = parent.resolve("saved");
        record().await(1, InProcessJob.deadline());
        SavedPatterns.save(job.node(0).client(), file);
        close(first);
        close(second);
        SavedPatterns.load(job.node(0).client(), file, InProcessJob.deadline());
        close(second);
        assertThatThrownBy(() -> JointPattern.find(ID, first, second))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pattern 7 is in 1 of 2 contexts");
    }

    @Test
    void shouldRefuseContextsOfTwoClients(@TempDir Path elsewhere) {
        try (InProcessJob other = InProcessJob.join(
                elsewhere,
                1,
                NodeConfig.defaults().withThreading(Threading.INVOKER).withContexts(2))) {
            final Context own = other.node(0).client().context(0);
            final Context given =
                    other.node(0).openClient(ClientConfig.named("alpha")).context();
            assertThatThrownBy(() -> JointPattern.record(ID, Rounds.ALTERNATE, () -> {}, own, given))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("context 0 of rank 0 belongs to the node's own client, context 1 of rank 0 belongs to"
                            + " client \"alpha\": use contexts of one client, as returned by Client.context");
            assertThatThrownBy(() -> JointPattern.find(ID, given, own)).hasMessageContaining("client \"alpha\"");
            assertThatThrownBy(() -> JointPattern.record(ID, Rounds.ALTERNATE, () -> {}, own, first))
                    .as("of another node, too")
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void shouldReportTheMissingWorkAtTheDeadline() {
        final JointPattern pattern = JointPattern.record(
                ID,
                Rounds.ALTERNATE,
                () -> {
                    first.expect(pair, 24);
                    send(first, 0);
                    send(second, 8);
                },
                first,
                second);
        assertThatThrownBy(() -> pattern.await(1, Deadline.in(5, TimeUnit.MILLISECONDS)))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("misses 8 bytes; it admits everybody");
        assertThatThrownBy(() -> pattern.await(2, InProcessJob.deadline()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldNameTheContextThatHasStartedARoundByItself() {
        final JointPattern joint = record();
        joint.await(1, InProcessJob.deadline());
        final JointPattern part = Objects.requireNonNull(JointPattern.find(ID, second));
        assertThat(part.replay()).isEqualTo(2);
        part.await(2, InProcessJob.deadline());
        assertThatThrownBy(joint::replay)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is at round 1, its part in context 1 at 2")
                .hasMessageContaining("close all, and record the pattern for all contexts again");
    }
}
