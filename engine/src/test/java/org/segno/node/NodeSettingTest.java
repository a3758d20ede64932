package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.CollectiveSettings;
import org.segno.engine.job.Platform;
import org.segno.engine.job.SettingNames;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ThreadLevel;
import org.segno.status.SegnoException;

class NodeSettingTest {
    private static final int RANKS = 4;

    /** Fields of a configuration whose settings have other names. */
    private static final Map<String, Set<String>> RENAMED = Map.of(
            "fifos", Set.of("fifo-count"),
            "messageLimits", Set.of("immediate-limit", "eager-limit", "deferred-messages"),
            "collectives", Set.of("algorithm-table", "round-checks"));

    /** Fields that no call changes by itself. */
    private static final Set<String> FIXED = Set.of("names", "parks");

    private static NodeConfig read(Map<String, String> properties, Map<String, String> variables) {
        final Properties all = new Properties();
        all.putAll(properties);
        return NodeEnvironment.read(NodeConfig.builtIn(), all, variables);
    }

    @Test
    void shouldHaveEveryComponentOfANodesConfiguration() {
        final Set<String> components = new TreeSet<>();
        Arrays.stream(NodeConfig.class.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()) && !FIXED.contains(field.getName()))
                .forEach(field ->
                        components.addAll(RENAMED.getOrDefault(field.getName(), Set.of(hyphenated(field.getName())))));

        assertThat(names()).isEqualTo(components);
        assertThat(names()).isEqualTo(new TreeSet<>(SettingNames.ofNode()));
    }

    @Test
    void shouldHaveEveryCallOfANodesConfiguration() {
        final Set<String> calls = Arrays.stream(NodeConfig.class.getMethods())
                .map(Method::getName)
                .filter(name -> name.startsWith("with"))
                .map(name -> hyphenated(name.substring(4)))
                .collect(Collectors.toCollection(TreeSet::new));
        calls.removeAll(Set.of("counters", "fifos", "immediate-limit-bytes", "eager-limit-bytes"));
        calls.addAll(
                Set.of("injection-counters", "reception-counters", "fifo-count", "immediate-limit", "eager-limit"));

        assertThat(names()).isEqualTo(calls);
    }

    private static Set<String> names() {
        return Arrays.stream(NodeSetting.values())
                .map(NodeSetting::settingName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String hyphenated(String name) {
        return name.replaceAll("(?<=[a-z])(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "THREADING")
    void shouldHaveTheDefaultOfANode(NodeSetting setting) {
        final NodeConfig plain = NodeConfig.builtIn();
        final NodeConfig set = read(Map.of(), Map.of(setting.variable(), setting.defaultText()));

        // A number of reception counters is also the least number of names under which they can be published.
        final NodeConfig same = setting == NodeSetting.RECEPTION_COUNTERS ? plain.withCounters(256, 256) : plain;
        assertThat(set.dimensions(RANKS)).isEqualTo(same.dimensions(RANKS));
        assertThat(plain.dimensions(RANKS).receptionCounters()).isEqualTo(256);
        assertThat(set.messageLimits()).isEqualTo(plain.messageLimits());
        assertThat(set.threadLevel()).isEqualTo(plain.threadLevel());
        assertThat(set.idle(1).get()).hasSameClassAs(plain.idle(1).get());
    }

    @ParameterizedTest
    @CsvSource({
        "CONTEXTS, 3",
        "FIFO_COUNT, 5",
        "FIFO_SLOTS, 64",
        "PATTERN_BUFFER_BYTES, 8k",
        "PATTERNS, 7",
        "RUN_SLOTS, 16",
        "INJECTION_COUNTERS, 3",
        "RECEPTION_COUNTERS, 300",
        "LANE_BUDGET_BYTES, 64k",
        "WINDOW_BYTES, 1m",
        "WINDOWS, 300"
    })
    void shouldChangeTheDimensionsOfANode(NodeSetting setting, String value) {
        final NodeConfig set = read(Map.of(), Map.of(setting.variable(), value));

        assertThat(set.dimensions(RANKS)).isNotEqualTo(NodeConfig.builtIn().dimensions(RANKS));
        assertThat(read(Map.of(setting.property(), value), Map.of(setting.variable(), setting.defaultText()))
                        .dimensions(RANKS))
                .isEqualTo(set.dimensions(RANKS));
    }

    @Test
    void shouldReadThreadingAndThreadLevelInAnyCase() {
        for (final Threading threading : Threading.values()) {
            final String text = threading.name().toLowerCase(Locale.ROOT);
            assertThat(read(Map.of(), Map.of("SEGNO_THREADING", text)).threading(1))
                    .isEqualTo(threading);
            assertThat(read(Map.of("segno.threading", threading.name()), Map.of("SEGNO_THREADING", "shared"))
                            .threading(1))
                    .isEqualTo(threading);
        }
        assertThat(read(Map.of(), Map.of("SEGNO_THREAD_LEVEL", "Multiple")).threadLevel())
                .isEqualTo(ThreadLevel.MULTIPLE);
        assertThat(read(Map.of(), Map.of("SEGNO_ENGINES", "3", "SEGNO_THREADING", "dedicated"))
                        .dimensions(RANKS)
                        .engines())
                .isEqualTo(3);
    }

    @Test
    void shouldReadTheFileOfTheAlgorithmTable() {
        final Map<String, String> variables = Map.of("SEGNO_ALGORITHM_TABLE", "/tmp/Measured Table");

        assertThat(read(Map.of(), variables).collectives().algorithmTable()).isEqualTo(Path.of("/tmp/Measured Table"));
        assertThat(read(Map.of("segno.algorithm-table", "default"), variables)
                        .collectives()
                        .algorithmTable())
                .isNull();
        assertThat(read(Map.of(), Map.of()).collectives().algorithmTable()).isNull();
    }

    @Test
    void shouldReadWhetherRoundsAreChecked() {
        assertThat(read(Map.of(), Map.of("SEGNO_ROUND_CHECKS", "On")).collectives())
                .isEqualTo(new CollectiveSettings(null, true));
        assertThat(read(Map.of("segno.round-checks", "off"), Map.of("SEGNO_ROUND_CHECKS", "on"))
                        .collectives())
                .isEqualTo(CollectiveSettings.DEFAULT);
    }

    @Test
    void shouldReadTheIdleStrategyByItsName() {
        assertThat(idle("busy-spin")).isInstanceOf(BusySpinIdleStrategy.class);
        assertThat(idle("YIELD")).isInstanceOf(YieldingIdleStrategy.class);
        assertThat(idle(" backoff ")).isInstanceOf(BackoffIdleStrategy.class);
        assertThat(idle("park")).isInstanceOf(OversubscribedIdle.class);
        assertThat(idle("default")).isInstanceOf(SpinThenYieldIdle.class);
        final Map<String, String> variables = Map.of("SEGNO_IDLE", "busy-spin");
        assertThat(read(Map.of("segno.idle", "Backoff"), variables).idle(1).get())
                .isInstanceOf(BackoffIdleStrategy.class);
    }

    private static Object idle(String name) {
        return read(Map.of(), Map.of("SEGNO_IDLE", name, "SEGNO_THREADING", "invoker"))
                .idle(1)
                .get();
    }

    @Test
    void shouldParkByDefaultOnlyWhereThreadsOutnumberCores() {
        final NodeConfig invoked = NodeConfig.builtIn().withThreading(Threading.INVOKER);

        assertThat(invoked.idle(Platform.cores()).get()).isInstanceOf(SpinThenYieldIdle.class);
        assertThat(invoked.idle(Platform.cores() + 1).get()).isInstanceOf(OversubscribedIdle.class);
    }

    @Test
    void shouldPreferTheSettingsOfTheProgram() {
        final NodeConfig outside =
                read(Map.of(), Map.of("SEGNO_IDLE", "busy-spin", "SEGNO_THREADING", "shared", "SEGNO_FIFO_SLOTS", "8"));

        assertThat(outside.withThreading(Threading.INVOKER).threading(1)).isEqualTo(Threading.INVOKER);
        assertThat(outside.withIdle(YieldingIdleStrategy::new).idle(1).get()).isInstanceOf(YieldingIdleStrategy.class);
        assertThat(outside.withFifoSlots(32).dimensions(RANKS).fifoSlots()).isEqualTo(32);
        assertThat(outside.dimensions(RANKS).fifoSlots()).isEqualTo(8);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SEGNO_THREADING | own | 'own' is none of dedicated, shared, invoker",
                "SEGNO_IDLE | spin | 'spin' is none of default, busy-spin, yield, backoff",
                "SEGNO_THREAD_LEVEL | any | 'any' is none of single, funneled, serialized, multiple",
                "SEGNO_CONTEXTS | 65 | contexts must be between 1 and 64, set NodeConfig.withContexts: contexts=65",
                "SEGNO_ENGINES | x | 'x' is not a whole number from 0",
                "SEGNO_FIFO_SLOTS | 2147483648 | '2147483648' is not a whole number from 0 to 2147483647",
                "SEGNO_FIFO_SLOTS | 4294967297 | '4294967297' is not a whole number from 0 to 2147483647",
                "SEGNO_FIFO_SLOTS | -1 | '-1' is not a whole number from 0 to 2147483647",
                "SEGNO_WINDOW_BYTES | 9223372036854775808 | '9223372036854775808' is not a number of bytes",
                "SEGNO_FIFO_SLOTS | 48 | fifoSlots must be a power of two, set NodeConfig.withFifoSlots: fifoSlots=48",
                "SEGNO_FIFO_COUNT | 127 | fifos must be between 1 and 126, set NodeConfig.withFifos: fifos=127",
                "SEGNO_ROUND_CHECKS | yes | 'yes' is none of on, off",
                "SEGNO_DEFERRED_MESSAGES | 65537 | withDeferredMessages must be 0 to 65536",
                "SEGNO_WINDOWS | 0 | windows must be between 1 and 65536, set NodeConfig.withWindows: windows=0",
                "SEGNO_WINDOW_BYTES | 1.5g | '1.5g' is not a number of bytes",
                "SEGNO_PATTERN_BUFFER_BYTES | 100 | withPatternBufferBytes must be a positive multiple of 64",
            })
    void shouldNameTheSourceOfAnInvalidValue(String variable, String value, String reason) {
        assertThatThrownBy(() -> read(Map.of(), Map.of(variable, value)))
                .isInstanceOf(SegnoException.class)
                .hasMessageStartingWith(variable + "=" + value + " is invalid: " + reason);
    }
}
