package org.segno.tools.run;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.node.NodeSetting;
import picocli.CommandLine.Option;

/**
 * Options for the nodes of a job's ranks, for programs that do not make these settings themselves. {@link RunOptions}
 * has the limits of messages. A test compares the options and their defaults with {@link NodeSetting}.
 */
final class NodeOptions {
    @Option(
            names = "--threading",
            paramLabel = "T",
            description = {
                "thread that runs the engine: dedicated (one of its own), shared (one for all nodes of",
                "a process) or invoker (the application's); default by cores"
            })
    private @Nullable String threading;

    @Option(
            names = "--idle",
            paramLabel = "S",
            description = {
                "waits: busy-spin; yield; backoff (spins, yields, parks up to 1 ms); park (yields, parks until",
                "woken); default (spins for about 4 us, then yields; park where threads outnumber cores)"
            })
    private @Nullable String idle;

    @Option(
            names = "--thread-level",
            paramLabel = "L",
            description = {
                "threads that may use contexts: single, funneled, serialized or multiple;",
                "default serialized"
            })
    private @Nullable String threadLevel;

    @Option(
            names = "--transport",
            paramLabel = "T",
            description = {
                "transports by preference, separated by commas: shm (mapped memory), aeron (links over UDP) or",
                "process (links between ranks of one process, with --as threads); default shm, and aeron",
                "between hosts"
            })
    private @Nullable String transport;

    @Option(names = "--contexts", paramLabel = "N", description = "contexts of each rank, default 1")
    private @Nullable String contexts;

    @Option(
            names = "--engines",
            paramLabel = "N",
            description = "engines of each rank with threads of their own, default 1")
    private @Nullable String engines;

    @Option(names = "--fifo-count", paramLabel = "N", description = "injection FIFOs of a context, default 14")
    private @Nullable String fifoCount;

    @Option(
            names = "--fifo-slots",
            paramLabel = "N",
            description = "descriptors of an injection FIFO, a power of two, default 1024")
    private @Nullable String fifoSlots;

    @Option(
            names = "--pattern-buffer-bytes",
            paramLabel = "B",
            description = "bytes of recorded sections of a context, 64 per descriptor, default 1m")
    private @Nullable String patternBufferBytes;

    @Option(names = "--patterns", paramLabel = "N", description = "patterns of a context, default 16384")
    private @Nullable String patterns;

    @Option(
            names = "--run-slots",
            paramLabel = "N",
            description = "queued replays of a context, a power of two, default 1024")
    private @Nullable String runSlots;

    @Option(
            names = "--injection-counters",
            paramLabel = "N",
            description = "injection counters of each rank, default 256")
    private @Nullable String injectionCounters;

    @Option(
            names = "--reception-counters",
            paramLabel = "N",
            description = "reception counters of each rank, default 256")
    private @Nullable String receptionCounters;

    @Option(
            names = "--lane-budget-bytes",
            paramLabel = "B",
            description = "bytes of all reception lanes of a rank, default 1m")
    private @Nullable String laneBudgetBytes;

    @Option(
            names = "--window-bytes",
            paramLabel = "B",
            description = "bytes of registered memory of each rank, default 0")
    private @Nullable String windowBytes;

    @Option(names = "--windows", paramLabel = "N", description = "windows of each rank at a time, default 64")
    private @Nullable String windows;

    @Option(
            names = "--deferred-messages",
            paramLabel = "N",
            description = "received long messages of a context that may be deferred, default 64")
    private @Nullable String deferredMessages;

    @Option(
            names = "--algorithm-table",
            paramLabel = "F",
            description = {
                "file with the table that selects algorithms of collectives, at each host;",
                "default the library's table"
            })
    private @Nullable String algorithmTable;

    @Option(
            names = "--round-checks",
            paramLabel = "S",
            description = "on: all members compare each round of a collective; default off")
    private @Nullable String roundChecks;

    /**
     * Returns the settings that the command line, a property, a variable or a file makes.
     *
     * @throws IllegalArgumentException if one is malformed or out of range; the message has the option and the value
     */
    Map<NodeSetting, String> settings() {
        final Map<NodeSetting, String> settings = new EnumMap<>(NodeSetting.class);
        put(settings, NodeSetting.THREADING, threading);
        put(settings, NodeSetting.IDLE, idle);
        put(settings, NodeSetting.THREAD_LEVEL, threadLevel);
        put(settings, NodeSetting.TRANSPORT, transport);
        put(settings, NodeSetting.CONTEXTS, contexts);
        put(settings, NodeSetting.ENGINES, engines);
        put(settings, NodeSetting.FIFO_COUNT, fifoCount);
        put(settings, NodeSetting.FIFO_SLOTS, fifoSlots);
        put(settings, NodeSetting.PATTERN_BUFFER_BYTES, patternBufferBytes);
        put(settings, NodeSetting.PATTERNS, patterns);
        put(settings, NodeSetting.RUN_SLOTS, runSlots);
        put(settings, NodeSetting.INJECTION_COUNTERS, injectionCounters);
        put(settings, NodeSetting.RECEPTION_COUNTERS, receptionCounters);
        put(settings, NodeSetting.LANE_BUDGET_BYTES, laneBudgetBytes);
        put(settings, NodeSetting.WINDOW_BYTES, windowBytes);
        put(settings, NodeSetting.WINDOWS, windows);
        put(settings, NodeSetting.DEFERRED_MESSAGES, deferredMessages);
        put(settings, NodeSetting.ALGORITHM_TABLE, algorithmTable);
        put(settings, NodeSetting.ROUND_CHECKS, roundChecks);
        return settings;
    }

    private static void put(Map<NodeSetting, String> settings, NodeSetting setting, @Nullable String value) {
        if (value != null) {
            final boolean isFile = setting == NodeSetting.ALGORITHM_TABLE;
            final String text = isFile ? value.trim() : value.trim().toLowerCase(Locale.ROOT);
            try {
                setting.check(text);
            } catch (final IllegalArgumentException e) {
                throw new IllegalArgumentException("--" + setting.settingName() + ": " + e.getMessage(), e);
            }
            settings.put(setting, text);
        }
    }
}
