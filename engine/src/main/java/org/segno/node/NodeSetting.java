package org.segno.node;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ThreadLevel;

/**
 * The settings of {@link NodeConfig} that can be made from outside the program, each under one name in three spellings:
 * the option of {@code segno run}, {@code --fifo-slots}; the variable, {@code SEGNO_FIFO_SLOTS}; and the property,
 * {@code segno.fifo-slots}. A call of the program in {@link NodeConfig} overrides them; of them, the property overrides
 * the variable, and {@code segno run} passes its option as the variable.
 *
 * <p>Each has the same range as the method of {@link NodeConfig}. Names are case-insensitive, except those of files.
 * Numbers of bytes may have a binary unit.
 */
public enum NodeSetting {
    /** Thread that runs the engine: {@link NodeConfig#withThreading}. */
    THREADING("by cores", (config, text) -> config.withThreading(named(Threading.values(), text))),

    /** Idle strategy of contexts and engine threads: {@link NodeConfig#withIdle}. */
    IDLE("default", (config, text) -> config.withIdling(named(Idling.values(), text))),

    /** Threads that may use contexts: {@link NodeConfig#withThreadLevel}. */
    THREAD_LEVEL("serialized", (config, text) -> config.withThreadLevel(named(ThreadLevel.values(), text))),

    /** Transports in the order of preference, separated by commas: {@link NodeConfig#withTransport}. */
    TRANSPORT("shm,aeron", (config, text) -> config.withTransport(text.split("\\s*,\\s*", -1))),

    /** Number of contexts: {@link NodeConfig#withContexts}. */
    CONTEXTS("1", (config, text) -> config.withContexts(count(text))),

    /** Number of engines with threads of their own: {@link NodeConfig#withEngines}. */
    ENGINES("1", (config, text) -> config.withEngines(count(text))),

    /** Injection FIFOs per context: {@link NodeConfig#withFifos}. */
    FIFO_COUNT("14", (config, text) -> config.withFifos(count(text))),

    /** Descriptors per injection FIFO: {@link NodeConfig#withFifoSlots}. */
    FIFO_SLOTS("1024", (config, text) -> config.withFifoSlots(count(text))),

    /** Bytes of recorded sections per context: {@link NodeConfig#withPatternBufferBytes}. */
    PATTERN_BUFFER_BYTES("1m", (config, text) -> config.withPatternBufferBytes(NodeEnvironment.bytes(text))),

    /** Patterns per context: {@link NodeConfig#withPatterns}. */
    PATTERNS("16384", (config, text) -> config.withPatterns(count(text))),

    /** Queued replays per context: {@link NodeConfig#withRunSlots}. */
    RUN_SLOTS("1024", (config, text) -> config.withRunSlots(count(text))),

    /** Injection counters: {@link NodeConfig#withCounters}. */
    INJECTION_COUNTERS("256", (config, text) -> config.withInjectionCounters(count(text))),

    /** Reception counters: {@link NodeConfig#withCounters}. */
    RECEPTION_COUNTERS("256", (config, text) -> config.withReceptionCounters(count(text))),

    /** Bytes of all reception lanes: {@link NodeConfig#withLaneBudgetBytes}. */
    LANE_BUDGET_BYTES("1m", (config, text) -> config.withLaneBudgetBytes(NodeEnvironment.bytes(text))),

    /** Bytes of registered memory: {@link NodeConfig#withWindowBytes}. */
    WINDOW_BYTES("0", (config, text) -> config.withWindowBytes(NodeEnvironment.bytes(text))),

    /** Windows open at a time: {@link NodeConfig#withWindows}. */
    WINDOWS("64", (config, text) -> config.withWindows(count(text))),

    /** Longest immediate message in bytes: {@link NodeConfig#withImmediateLimitBytes}. */
    IMMEDIATE_LIMIT(
            "32",
            (config, text) -> config.withImmediateLimitBytes(
                    // A value above the range of an int is out of the limit's range too.
                    (int) Math.min(NodeEnvironment.bytes(text), Integer.MAX_VALUE))),

    /** Longest eager message in bytes: {@link NodeConfig#withEagerLimitBytes}. */
    EAGER_LIMIT("16k", (config, text) -> config.withEagerLimitBytes(NodeEnvironment.bytes(text))),

    /** Deferred messages per context: {@link NodeConfig#withDeferredMessages}. */
    DEFERRED_MESSAGES("64", (config, text) -> config.withDeferredMessages(count(text))),

    /** File with the table of algorithms of collectives: {@link NodeConfig#withAlgorithmTable}. */
    ALGORITHM_TABLE(
            "default", (config, text) -> "default".equals(text) ? config : config.withAlgorithmTable(Path.of(text))),

    /** Checks of each round of collectives: {@link NodeConfig#withRoundChecks}. */
    ROUND_CHECKS("off", (config, text) -> config.withRoundChecks(isOn(text)));

    /** Lanes for any number of contexts, so that a check depends on one setting only. */
    private static final long AMPLE_LANE_BYTES = 1L << 30;

    private final String defaultText;

    @SuppressWarnings("ImmutableEnumChecker") // functions without state
    private final BiFunction<NodeConfig, String, NodeConfig> change;

    NodeSetting(String defaultText, BiFunction<NodeConfig, String, NodeConfig> change) {
        this.defaultText = defaultText;
        this.change = change;
    }

    /** Returns the name in options and settings files: {@code fifo-slots}. */
    public String settingName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the name of the variable: {@code SEGNO_FIFO_SLOTS}. */
    public String variable() {
        return "SEGNO_" + name();
    }

    /** Returns the name of the property: {@code segno.fifo-slots}. */
    public String property() {
        return "segno." + settingName();
    }

    /** Returns the value that applies if nothing sets it, as a user would write it. */
    public String defaultText() {
        return defaultText;
    }

    /** Returns the setting of a name such as {@code fifo-slots}; empty if there is none. */
    public static Optional<NodeSetting> named(String settingName) {
        return Arrays.stream(values())
                .filter(setting -> setting.settingName().equals(settingName))
                .findFirst();
    }

    /**
     * Checks a value by itself. Whether it fits the others is checked at join, as for values of the program.
     *
     * @throws IllegalArgumentException if it is malformed or out of range; the message has the value and the range
     */
    public void check(String text) {
        applied(NodeConfig.builtIn().withLaneBudgetBytes(AMPLE_LANE_BYTES), text)
                .fileBytes(1);
    }

    /** Returns a copy of a configuration with this value. */
    NodeConfig applied(NodeConfig config, String text) {
        return change.apply(config, text.trim());
    }

    private static boolean isOn(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "on" -> true;
            case "off" -> false;
            default -> throw new IllegalArgumentException("'" + text + "' is none of on, off");
        };
    }

    private static int count(String text) {
        try {
            final int count = Integer.parseInt(text);
            if (count < 0) {
                throw new NumberFormatException(text);
            }
            return count;
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a whole number from 0 to " + Integer.MAX_VALUE, e);
        }
    }

    private static <E extends Enum<E>> E named(E[] values, String text) {
        for (final E value : values) {
            if (word(value).equals(text.toLowerCase(Locale.ROOT))) {
                return value;
            }
        }
        throw new IllegalArgumentException("'" + text + "' is none of "
                + String.join(", ", Arrays.stream(values).map(NodeSetting::word).toList()));
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
