package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.operation.MessageLimits;
import org.segno.status.SegnoException;

class NodeEnvironmentTest {
    private static MessageLimits read(String property, Map<String, String> variables) {
        final Properties properties = new Properties();
        if (!property.isEmpty()) {
            final String[] parts = property.split("=", -1);
            properties.setProperty(parts[0], parts[1]);
        }
        return NodeEnvironment.read(NodeConfig.builtIn(), properties, variables).messageLimits();
    }

    @Test
    void shouldHaveTheDefaultsWhereNothingIsSet() {
        assertThat(read("", Map.of())).isEqualTo(MessageLimits.DEFAULT);
        assertThat(MessageLimits.DEFAULT.immediateBytes()).isEqualTo(32);
        assertThat(MessageLimits.DEFAULT.eagerBytes()).isEqualTo(16 * 1024);
    }

    @Test
    void shouldReadVariablesAndBeforeThemProperties() {
        final Map<String, String> variables = Map.of("SEGNO_EAGER_LIMIT", "8k", "SEGNO_IMMEDIATE_LIMIT", "16");
        assertThat(read("", variables)).isEqualTo(new MessageLimits(16, 8192));
        assertThat(read("segno.eager-limit=100", variables)).isEqualTo(new MessageLimits(16, 100));
        assertThat(read("segno.immediate-limit=0", variables)).isEqualTo(new MessageLimits(0, 8192));
        final Map<String, String> deferred = Map.of("SEGNO_DEFERRED_MESSAGES", "65536");
        assertThat(read("", deferred).deferredMessages()).isEqualTo(MessageLimits.MAX_DEFERRED_MESSAGES);
        assertThat(read("segno.deferred-messages=0", deferred).deferredMessages())
                .isZero();
    }

    @ParameterizedTest
    @EnumSource(NodeSetting.class)
    void shouldCountAnEmptyVariableOrPropertyAsNotSet(NodeSetting setting) {
        final NodeConfig unset = NodeConfig.builtIn();
        final Properties empty = new Properties();
        assertThat(NodeEnvironment.read(unset, empty, Map.of(setting.variable(), "")))
                .isSameAs(unset);
        empty.setProperty(setting.property(), " ");
        assertThat(NodeEnvironment.read(unset, empty, Map.of())).isSameAs(unset);
    }

    @Test
    void shouldReadTheVariableWhereItsPropertyIsEmpty() {
        assertThat(read("segno.eager-limit=", Map.of("SEGNO_EAGER_LIMIT", "8k")))
                .isEqualTo(new MessageLimits(32, 8192));
    }

    @Test
    void shouldPreferTheSettingOfTheProgram() {
        System.setProperty("segno.eager-limit", "77");
        try {
            assertThat(NodeConfig.defaults().messageLimits()).isEqualTo(new MessageLimits(32, 77));
            assertThat(NodeConfig.defaults().withEagerLimitBytes(5).messageLimits())
                    .isEqualTo(new MessageLimits(32, 5));
            assertThat(NodeConfig.defaults()
                            .withImmediateLimitBytes(5)
                            .withContexts(2)
                            .messageLimits())
                    .isEqualTo(new MessageLimits(5, 77));
        } finally {
            System.clearProperty("segno.eager-limit");
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "64, 64", " 8k , 8192", "1M, 1048576", "2g, 2147483648"})
    void shouldReadNumbersOfBytes(String text, long bytes) {
        assertThat(NodeEnvironment.bytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"k", "-1", "8 k", "8kb", "1.5k", "9999999999g", "many"})
    void shouldRefuseAValueThatIsNoNumberOfBytes(String text) {
        assertThatThrownBy(() -> read("", Map.of("SEGNO_EAGER_LIMIT", text)))
                .isInstanceOf(SegnoException.class)
                .hasMessage("SEGNO_EAGER_LIMIT=" + text + " is invalid: '" + text
                        + "' is not a number of bytes, as 64, 8k, 1m or 2g are");
    }

    @Test
    void shouldNotReadNothingAsANumberOfBytes() {
        assertThatThrownBy(() -> NodeEnvironment.bytes(""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'' is not a number of bytes, as 64, 8k, 1m or 2g are");
    }

    @ParameterizedTest
    @ValueSource(strings = {"33", "4g"})
    void shouldRefuseMoreThanADescriptorHolds(String text) {
        assertThatThrownBy(() -> read("segno.immediate-limit=" + text, Map.of()))
                .isInstanceOf(SegnoException.class)
                .hasMessageStartingWith("segno.immediate-limit=" + text + " is invalid: ")
                .hasMessageContaining("must be 0 to 32");
    }

    @Test
    void shouldRefuseLimitsThatAreNone() {
        final NodeConfig config = NodeConfig.defaults();
        assertThatThrownBy(() -> config.withImmediateLimitBytes(33)).hasMessageContaining("immediateLimitBytes=33");
        assertThatThrownBy(() -> config.withImmediateLimitBytes(-1)).hasMessageContaining("immediateLimitBytes=-1");
        assertThatThrownBy(() -> config.withEagerLimitBytes(-1)).hasMessageContaining("eagerLimitBytes=-1");
    }
}
