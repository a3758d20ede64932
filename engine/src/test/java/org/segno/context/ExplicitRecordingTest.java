package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/** Recordings from an explicit begin to an explicit end. */
class ExplicitRecordingTest {
    private static final int ID = 7;
    private static final int DISPATCH = 3;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window window;
    private CounterPair pair;
    private Target target;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(directory, NodeSize.small().dimensions());
        context = engines.context(0);
        window = engines.client(0).window(1024);
        pair = engines.client(0).counterPair(window, 512, 640, 64);
        engines.client(0).publish("pair", pair);
        target = context.attach(0, "pair", deadline());
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private static long deadline() {
        return Deadline.in(10, TimeUnit.SECONDS);
    }

    private void operations() {
        context.expect(pair, 8);
        context.put(target, 0, window, 0, 8);
        context.waitUntil(pair, 0);
    }

    @Test
    void shouldMakeTheSamePatternAsABody() {
        context.recordBegin(ID, Rounds.ALTERNATE);
        assertThat(context.isRecording()).isTrue();
        operations();
        final Pattern pattern = context.recordEnd();
        assertThat(context.isRecording()).isFalse();
        assertThat(pattern.generation()).isEqualTo(1);
        context.await(pattern, 1, deadline());
        final Pattern same = context.record(ID + 1, Rounds.ALTERNATE, this::operations);
        assertThat(context.patterns().words(pattern))
                .isEqualTo(context.patterns().words(same));
        context.await(same, 1, deadline());

        window.buffer().putLong(0, 5);
        assertThat(context.replay(pattern)).isEqualTo(2);
        context.await(pattern, 2, deadline());
        assertThat(window.buffer().getLong((int) pair.offset(2))).isEqualTo(5);
        assertThat(context.queue(pattern)).isEqualTo(3);
        context.await(pattern, 3, deadline());
    }

    @Test
    void shouldContinueWhenWhatCannotBeRecordedIsRefused() {
        context.recordBegin(ID, Rounds.ALTERNATE);
        context.put(target, 0, window, 0, 8);
        assertThatThrownBy(() -> context.recordBegin(ID + 1, Rounds.ALTERNATE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pattern 7 is being recorded: recordings do not nest");
        assertThatThrownBy(() -> context.prepare(Rounds.ALTERNATE, this::operations))
                .hasMessageContaining("do not nest");
        assertThatThrownBy(() -> context.fence(deadline())).hasMessageContaining("a wait cannot be replayed");
        assertThatThrownBy(() -> context.barrier(deadline())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> context.put(target, 0, window, 1020, 8)).isInstanceOf(IllegalArgumentException.class);
        context.put(target, 8, window, 8, 8);
        assertThat(context.recordEnd().descriptors()).isEqualTo(2);
    }

    @Test
    void shouldMakeNoPatternOfARecordingWithARefusedOperation() {
        final ReceptionCounter single = engines.client(0).receptionCounter(window, 800, 8);
        engines.client(0).publish("single", single);
        final Target toSingle = context.attach(0, "single", deadline());
        final List<Runnable> refused = new ArrayList<>();
        refused.add(() -> context.put(toSingle, 0, window, 0, 8));
        refused.add(() -> context.expect(single, 8));
        refused.add(() -> {
            context.expect(pair, 8);
            context.copy(window, 512, window, 0, 8);
        });
        for (final Runnable operation : refused) {
            context.recordBegin(ID, Rounds.ALTERNATE);
            context.copy(window, 0, window, 32, 8);
            assertThatThrownBy(operation::run).hasMessageContaining("cannot be replayed");
            context.copy(window, 0, window, 40, 8);
            assertThatThrownBy(context::recordEnd)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the recording was abandoned");
            assertThat(context.isRecording()).isFalse();
            assertThat(context.pattern(ID)).isNull();
            engines.settle();
        }
        assertThat(context.isDrained()).isTrue();
    }

    @Test
    void shouldAbandonWithoutAPattern() {
        final int free = context.patterns().free();
        window.buffer().putLong(0, 9);
        context.recordBegin(ID, Rounds.ALTERNATE);
        context.copy(window, 0, window, 32, 8);
        context.recordAbandon();
        engines.settle();
        assertThat(window.buffer().getLong(32)).as("executed once").isEqualTo(9);
        assertThat(context.pattern(ID)).isNull();
        assertThat(context.patterns().free()).isEqualTo(free);

        final Pattern pattern = context.record(ID, Rounds.ALTERNATE, this::operations);
        context.await(pattern, 1, deadline());
        context.recordBegin(ID, Rounds.ALTERNATE);
        context.recordAbandon();
        assertThat(context.pattern(ID)).isSameAs(pattern);
        assertThat(pattern.generation()).as("the abandoned round counts").isEqualTo(2);
        engines.settle();
        assertThat(context.replay(pattern)).isEqualTo(3);
        context.await(pattern, 3, deadline());
    }

    @Test
    void shouldEndOnlyWhatWasBegun() {
        assertThatThrownBy(context::recordEnd).hasMessageContaining("recordEnd without recordBegin");
        assertThatThrownBy(context::recordAbandon).hasMessageContaining("recordAbandon without recordBegin");
        final Pattern pattern = context.record(ID, Rounds.ALTERNATE, () -> {
            assertThatThrownBy(context::recordEnd).hasMessageContaining("without recordBegin");
            assertThatThrownBy(context::recordAbandon).hasMessageContaining("without recordBegin");
            operations();
        });
        context.await(pattern, 1, deadline());
        assertThatThrownBy(() -> context.recordBegin(-1, Rounds.ALTERNATE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(context.isRecording()).isFalse();
        context.recordBegin(ID + 1, Rounds.ALTERNATE);
        operations();
        assertThat(context.recordEnd()).isNotNull();
        assertThatThrownBy(context::recordEnd).hasMessageContaining("without recordBegin");
    }

    @Test
    void shouldRefuseAHandlerThatBeginsOrEnds() {
        final List<String> refused = new ArrayList<>();
        context.handler(DISPATCH, (from, buffer, m, ml, p, pl) -> {
            for (final Runnable call : List.<Runnable>of(
                    () -> context.recordBegin(ID, Rounds.ALTERNATE), context::recordEnd, context::recordAbandon)) {
                assertThatThrownBy(call::run).hasMessageContaining("a handler cannot record a pattern");
                refused.add("refused");
            }
        });
        context.sendImmediate(0, DISPATCH, new UnsafeBuffer(new byte[8]), 0, 8);
        context.recordBegin(ID, Rounds.ALTERNATE);
        engines.settle();
        assertThat(refused).hasSize(3);
        operations();
        assertThat(context.recordEnd().descriptors()).isEqualTo(3);
    }

    @Test
    void shouldRunPostedWorkAfterTheEnd() {
        final List<String> ran = new ArrayList<>();
        context.recordBegin(ID, Rounds.ALTERNATE);
        context.post(() -> {
            ran.add("work");
            return 0;
        });
        context.advance();
        assertThat(ran).isEmpty();
        operations();
        context.recordEnd();
        context.advance();
        assertThat(ran).hasSize(1);
    }

    @Test
    void shouldRunNoPostedWorkBehindWorkThatBeginsIt() {
        final List<String> ran = new ArrayList<>();
        context.post(() -> {
            context.recordBegin(ID, Rounds.ALTERNATE);
            return 0;
        });
        context.post(() -> {
            ran.add("work");
            return 0;
        });
        context.advance();
        context.advance();
        assertThat(context.isRecording()).isTrue();
        assertThat(ran).isEmpty();
        operations();
        context.recordEnd();
        context.advance();
        assertThat(ran).hasSize(1);
    }

    @Test
    void shouldRequireRecordedExpectationsOfTheThreadThatBegan() throws InterruptedException {
        final ReceptionCounter counter = engines.client(0).receptionCounter(window, 800, 8);
        final Thread other = new Thread(() -> context.recordBegin(ID, Rounds.ORDERED_BY_CALLER));
        other.start();
        other.join();
        context.expect(counter, 8);
        assertThat(context.recordEnd().descriptors()).isEqualTo(1);
        counter.expect(8);
        assertThat(counter.valueAcquire()).isEqualTo(16);
        context.recordBegin(ID + 1, Rounds.ORDERED_BY_CALLER);
        assertThatThrownBy(() -> counter.expect(8)).hasMessageContaining("call context.expect");
        context.recordAbandon();
        counter.expect(8);
    }

    @Test
    @SuppressWarnings("NullAway")
    void shouldRefuseARecordingWithoutARuleForItsRounds() {
        assertThatNullPointerException()
                .isThrownBy(() -> context.recordBegin(ID, null))
                .withMessage("rounds");
        assertThatNullPointerException()
                .isThrownBy(() -> context.record(ID, null, this::operations))
                .withMessage("rounds");
        assertThatNullPointerException()
                .isThrownBy(() -> context.prepare(null, this::operations))
                .withMessage("rounds");
        assertThat(context.isRecording()).isFalse();
        assertThat(context.pattern(ID)).isNull();
    }
}
