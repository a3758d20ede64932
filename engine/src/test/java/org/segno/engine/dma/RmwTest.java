package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Refusal;

/** Atomics of rank 0 on words of rank 1. */
class RmwTest {
    private static final int LENGTH = 64;
    private static final int WORD = 16;
    private static final int RESULT = 24;
    private static final long BEFORE = 0x0F0F_1234_5678_9ABCL;
    private static final long OPERAND = 0x00FF_00FF_8000_0001L;

    @TempDir
    Path directory;

    private final Rmw change = new Rmw();
    private EngineFixture engines;
    private Context context;
    private Window own;
    private Window theirs;
    private ReceptionCounter words;
    private InjectionCounter done;
    private Target at;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(directory, NodeSize.small().dimensions());
        context = engines.context(0);
        own = engines.client(0).window(LENGTH);
        theirs = engines.client(1).window(3 * LENGTH);
        words = engines.client(1).receptionCounter(theirs, LENGTH, LENGTH, 0, Right.ATOMIC);
        engines.client(1).publish("words", words);
        at = context.attach(1, "words", Deadline.in(10, SECONDS));
        done = engines.client(0).injectionCounter();
        change.result(own, RESULT).completes(done);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    @Test
    void shouldExecuteEachFunctionAndReturnTheOldValue() {
        assertThat(after(change.fetchAdd(OPERAND))).isEqualTo(BEFORE + OPERAND);
        assertThat(after(change.and(OPERAND))).isEqualTo(BEFORE & OPERAND);
        assertThat(after(change.or(OPERAND))).isEqualTo(BEFORE | OPERAND);
        assertThat(after(change.xor(OPERAND))).isEqualTo(BEFORE ^ OPERAND);
        assertThat(after(change.swap(OPERAND))).isEqualTo(OPERAND);
        assertThat(after(change.compareAndSet(BEFORE, OPERAND))).isEqualTo(OPERAND);
        assertThat(after(change.compareAndSet(BEFORE + 1, OPERAND))).isEqualTo(BEFORE);
        assertThat(after(change.fetchAdd(0))).isEqualTo(BEFORE);
        assertThat(words.valueAcquire()).as("the target's counter").isZero();
    }

    @Test
    void shouldCompleteWithoutAResultToo() {
        final Rmw silent = new Rmw().fetchAdd(3).completes(done);
        done.expect(2L * Rmw.LENGTH);
        context.rmw(at, 0, silent);
        context.rmw(at, 0, silent);
        context.await(done, Deadline.in(10, SECONDS));
        assertThat(theirs.buffer().getLong(LENGTH)).isEqualTo(6);
        assertThat(own.buffer().getLong(RESULT)).isZero();
    }

    /** Replays an RMW, which completes nothing at its target and so may use a single word in any kind of rounds. */
    @Test
    void shouldChangeTheWordInEveryReplay() {
        final Pattern pattern = context.record(1, Rounds.ALTERNATE, () -> {
            context.expect(done, Rmw.LENGTH);
            context.rmw(at, 0, change.fetchAdd(5));
        });
        for (long round = 1; round <= 10; round++) {
            if (round > 1) {
                assertThat(context.replay(pattern)).isEqualTo(round);
            }
            context.await(pattern, round, Deadline.in(10, SECONDS));
            assertThat(own.buffer().getLong(RESULT)).isEqualTo(5 * (round - 1));
        }
        assertThat(done.valueAcquire()).isZero();
    }

    @Test
    void shouldChangeNothingThatWasNotAllowed() {
        final ReceptionCounter inbox =
                engines.client(1).receptionCounter(theirs, 0, LENGTH, ReceptionCounter.ANYBODY, Right.PUT, Right.GET);
        final ReceptionCounter foreign = engines.client(1).receptionCounter(theirs, 0, LENGTH, 1, Right.ATOMIC);
        final ReceptionCounter odd = engines.client(1).receptionCounter(theirs, 4, LENGTH, 0, Right.ATOMIC);
        refuse(target(inbox, LENGTH), 0, Refusal.NOT_ATOMIC);
        refuse(target(foreign, LENGTH), 0, Refusal.SOURCE_NOT_ADMITTED);
        refuse(target(odd, LENGTH), 0, Refusal.MISALIGNED);
        refuse(at, 4, Refusal.MISALIGNED);
        refuse(target(words, 2 * LENGTH), LENGTH - 4, Refusal.TARGET_OUT_OF_BOUNDS);
        refuse(target(words, 2 * LENGTH), LENGTH, Refusal.TARGET_OUT_OF_BOUNDS);
        refuse(new Target(1, words.id(), words.incarnation() + 1, LENGTH, false), 0, Refusal.STALE_COUNTER);
        refuse(new Target(1, 15, 1, LENGTH, false), 0, Refusal.COUNTER_DISABLED);
        words.disable();
        refuse(at, 0, Refusal.COUNTER_DISABLED);
    }

    @Test
    void shouldRefuseUnknownFunctions() {
        for (final byte function : new byte[] {0, 7, -1, 127}) {
            final long slot = engines.memory(0).layout().offset(Part.FIFO_SLOTS)
                    + (context.fifo().descriptorsAcquire() % 16) * Descriptor.LENGTH;
            context.rmw(at, 0, change.fetchAdd(1));
            engines.memory(0).owner().putByte(slot + Descriptor.LENGTH_OFFSET, function);
            engines.settle();
        }
        assertThat(engines.metrics(0).get(Refusal.UNKNOWN_FUNCTION)).isEqualTo(4);
        assertThat(theirs.buffer().getLong(LENGTH)).isZero();
    }

    @Test
    void shouldNameTheErrorAtTheInjection() {
        final Window foreign = engines.client(1).window(64);
        assertThatThrownBy(() -> change.result(own, 4)).hasMessageContaining("a multiple of 8");
        assertThatThrownBy(() -> change.result(own, 64)).hasMessageContaining("result range");
        assertThatThrownBy(() -> context.rmw(at, LENGTH - 7, change)).hasMessageContaining("target range");
        assertThatThrownBy(() -> context.rmw(new Target(2, 0, 1, 64, false), 0, change))
                .hasMessageContaining("rank must be 0 to 1");
        assertThatThrownBy(() -> context.rmw(at, 0, new Rmw().result(foreign, 0)))
                .hasMessageContaining("another node");
        assertThatThrownBy(() ->
                        context.rmw(at, 0, new Rmw().completes(engines.client(1).injectionCounter())))
                .hasMessageContaining("another node");
        assertThat(context.fifo().fill()).isZero();
    }

    private long after(Rmw function) {
        theirs.buffer().putLong(LENGTH + WORD, BEFORE);
        own.buffer().putLong(RESULT, 1);
        done.expect(Rmw.LENGTH);
        assertThat(context.rmw(at, WORD, function)).isNotNegative();
        context.await(done, Deadline.in(10, SECONDS));
        assertThat(own.buffer().getLong(RESULT)).isEqualTo(BEFORE);
        return theirs.buffer().getLong(LENGTH + WORD);
    }

    private void refuse(Target from, long offset, Refusal refusal) {
        done.expect(Rmw.LENGTH);
        context.rmw(from, offset, change.or(-1));
        assertThatThrownBy(() -> context.await(done, Deadline.in(10, SECONDS)))
                .hasMessageContaining("rank 1 refused: " + refusal.reason());
        done.reset();
        for (int offsetOfWord = 0; offsetOfWord < 3 * LENGTH; offsetOfWord += Long.BYTES) {
            assertThat(theirs.buffer().getLong(offsetOfWord)).isZero();
        }
        assertThat(own.buffer().getLong(RESULT)).isZero();
    }

    private static Target target(ReceptionCounter counter, long length) {
        return new Target(1, counter.id(), counter.incarnation(), length, false);
    }
}
