package org.segno.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    @ParameterizedTest
    @ValueSource(ints = {-1, 0})
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
