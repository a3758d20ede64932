package org.segno.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeConfigTest {
    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 65})
    void shouldNameTheRangeOfContexts(int contexts) {
        assertThatThrownBy(() -> NodeConfig.defaults().withContexts(contexts))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(
                        "contexts must be between 1 and 64, set NodeConfig.withContexts: contexts=" + contexts);
    }

    @Test
    void shouldCheckEachSettingWhenItIsMade() {
        final NodeConfig config = NodeConfig.defaults();

        assertWrong(
                () -> config.withEngines(0), "engines must be between 1 and 64, set NodeConfig.withEngines: engines=0");
        assertWrong(() -> config.withFifos(0), "fifos must be between 1 and 126, set NodeConfig.withFifos: fifos=0");
        assertWrong(
                () -> config.withFifoSlots(48),
                "fifoSlots must be a power of two, set NodeConfig.withFifoSlots: fifoSlots=48");
        assertWrong(
                () -> config.withPatternBufferBytes(65),
                "withPatternBufferBytes must be a positive multiple of 64 below 2 GiB: patternBufferBytes=65");
        assertWrong(
                () -> config.withPatterns(0),
                "patterns must be between 1 and 1048576, set NodeConfig.withPatterns: patterns=0");
        assertWrong(
                () -> config.withRunSlots(3),
                "runSlots must be a power of two, set NodeConfig.withRunSlots: runSlots=3");
        assertWrong(
                () -> config.withCounters(0, 1),
                "injectionCounters must be between 1 and 65536, set NodeConfig.withCounters: injectionCounters=0");
        assertWrong(
                () -> config.withWindowBytes(-1),
                "windowBytes must be between 0 and 17592186044416, set NodeConfig.withWindowBytes: windowBytes=-1");
    }

    @Test
    @SuppressWarnings("NullAway") // A caller without NullAway may write this.
    void shouldNameASettingThatIsNull() {
        final NodeConfig config = NodeConfig.defaults();

        assertThatThrownBy(() -> config.withThreading(null)).hasMessage("threading");
        assertThatThrownBy(() -> config.withIdle(null)).hasMessage("idle");
        assertThatThrownBy(() -> config.withThreadLevel(null)).hasMessage("threadLevel");
    }

    private static void assertWrong(ThrowableAssert.ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 65_537, 70_000, Integer.MAX_VALUE})
    void shouldNameTheRangeOfSizes(int size) {
        assertThatThrownBy(() -> NodeConfig.defaults().fileBytes(size))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("size must be between 1 and 65536, set JobConfig: size=" + size);
    }

    @Test
    void shouldNameTheSupplierThatMakesNoIdleStrategy() {
        @SuppressWarnings("NullAway") // A caller without NullAway may write this.
        final NodeConfig config = NodeConfig.defaults().withIdle(() -> null);
        assertThatThrownBy(() -> config.idle(1).get())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("withIdle")
                .hasMessageContaining("null");
    }
}
