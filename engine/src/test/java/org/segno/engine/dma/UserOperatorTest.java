package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.agrona.LangUtil;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.combine.ElementType;
import org.segno.combine.UserOperator;
import org.segno.context.Context;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.ErrorLog;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Combine;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;

/** COMBINE with operators that an application has registered. */
class UserOperatorTest {
    private static final int NUMBER = 127;

    /** Longer than a part of an operation. */
    private static final int LENGTH = 3 << 20;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Context context;
    private Window left;
    private Window right;
    private Window result;
    private InjectionCounter done;

    /** Value at which the operator throws an exception. */
    private long poison = Long.MIN_VALUE;

    /** What the operator does then. */
    private Runnable thrown = () -> {
        throw new UnsupportedOperationException("poison");
    };

    private long combined;

    @BeforeEach
    void make() {
        engines = EngineFixture.open(
                directory, NodeSize.small().ranks(1).windowBytes(3L * LENGTH).dimensions());
        context = engines.context(0);
        left = engines.client(0).window(LENGTH);
        right = engines.client(0).window(LENGTH);
        result = engines.client(0).window(LENGTH);
        done = engines.client(0).injectionCounter();
        engines.client(0).operator(NUMBER, new Difference());
    }

    @AfterEach
    void close() {
        engines.close();
    }

    /** Difference of numbers, which depends on their order. */
    private final class Difference implements UserOperator {
        @Override
        public void combine(
                ElementType type, DirectBuffer one, DirectBuffer other, MutableDirectBuffer into, int count) {
            assertThat(one.capacity()).isEqualTo(count * type.length());
            for (int at = 0; at < count * Long.BYTES; at += Long.BYTES) {
                if (one.getLong(at) == poison) {
                    thrown.run();
                }
                into.putLong(at, one.getLong(at) - other.getLong(at));
            }
            combined += count;
        }

        @Override
        public boolean isCommutative() {
            return false;
        }
    }

    private static Combine difference() {
        return Combine.of(ElementType.LONG, NUMBER);
    }

    private static void fill(Window window, long first) {
        for (int at = 0; at < LENGTH; at += Long.BYTES) {
            window.buffer().putLong(at, first + at);
        }
    }

    @Test
    void shouldCombineInTheOrderOfTheCallerInEveryForm() {
        fill(left, 1_000_000);
        fill(right, 0);
        context.combine(left, 0, result, 0, 800, difference().with(right, 0));
        engines.settle();
        assertThat(result.buffer().getLong(792)).isEqualTo(1_000_000);

        context.combine(right, 8, left, 8, 800, difference());
        engines.settle();
        assertThat(left.buffer().getLong(0)).isEqualTo(1_000_000);
        assertThat(left.buffer().getLong(8)).isEqualTo(1_000_000);
        assertThat(left.buffer().getLong(800)).isEqualTo(1_000_000);
        assertThat(left.buffer().getLong(808)).isEqualTo(1_000_808);

        context.combine(right, 8, left, 8, 800, difference().reversed());
        engines.settle();
        assertThat(left.buffer().getLong(800)).isEqualTo(800 - 1_000_000);
    }

    @Test
    void shouldCombineALongRangeInParts() {
        fill(left, 77);
        fill(right, 0);
        done.expect(LENGTH);
        context.combine(right, 0, left, 0, LENGTH, difference().completes(done));
        engines.pass(0);
        assertThat(done.valueAcquire()).isPositive().isLessThan(LENGTH);
        engines.settle();
        assertThat(done.valueAcquire()).isZero();
        assertThat(combined).isEqualTo(LENGTH / Long.BYTES);
        for (int at = 0; at < LENGTH; at += Long.BYTES) {
            assertThat(left.buffer().getLong(at)).isEqualTo(77);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseTheOperationWhoseOperatorThrowsAndCarryOutTheNext(boolean isChecked) {
        if (isChecked) {
            // As an operator can that is written in a language without checked exceptions.
            thrown = () -> LangUtil.rethrowUnchecked(new IOException("poison"));
        }
        poison = 3;
        left.buffer().putLong(64, poison);
        done.expect(128);
        context.combine(right, 0, left, 0, 128, difference().completes(done));
        context.combine(right, 0, left, 256, 8, difference());
        engines.settle();

        assertThat(engines.metrics(0).get(Refusal.OPERATOR_FAILED)).isEqualTo(1);
        assertThat(combined).as("the next one is carried out").isEqualTo(1);
        assertThat(ErrorLog.count(engines.memory(0)))
                .as("the refusal and its reason")
                .isEqualTo(2);
        assertThatThrownBy(() -> context.await(done, Deadline.in(10, SECONDS)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(Refusal.OPERATOR_FAILED.reason());
    }

    @Test
    void shouldFailTheRoundOfThePatternWhoseOperatorThrows() {
        final Pattern pattern =
                context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.combine(right, 0, left, 0, 64, difference()));
        context.await(pattern, 1, Deadline.in(10, SECONDS));
        poison = 0;
        assertThat(context.replay(pattern)).isEqualTo(2);
        assertThatThrownBy(() -> context.await(pattern, 2, Deadline.in(10, SECONDS)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(Refusal.OPERATOR_FAILED.reason())
                .hasMessageContaining("pattern 1");
    }

    @Test
    void shouldKeepTheOperatorOfANumber() {
        assertThatThrownBy(() -> engines.client(0).operator(NUMBER, new Difference()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("use a free number: number=" + NUMBER);
        assertThatThrownBy(() -> engines.client(0).operator(-1, new Difference()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("number=-1");
        assertThatThrownBy(() -> context.combine(left, 0, right, 0, 8, Combine.of(ElementType.LONG, 3)))
                .hasMessageContaining("call Client.operator first: number=3");
    }
}
