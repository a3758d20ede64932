package org.segno.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.SettingNames;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.trace.TraceProvider;
import org.segno.engine.trace.TraceRing;
import org.segno.engine.trace.TraceScope;
import org.segno.engine.trace.TraceSettings;
import org.segno.status.SegnoException;

/**
 * Trace of a node, if a property or a variable of this process requests one: {@code SEGNO_RECORD=all=DIR} or
 * {@code pattern=DIR}. The service that stores it is found on the class path.
 */
final class NodeTrace {
    private static final String RECORD = "record";
    private static final String PAYLOAD = "record-payload";
    private static final String RING_BYTES = "record-ring-bytes";
    private static final String SYNC = "record-sync";
    private static final Duration DEFAULT_SYNC = Duration.ofSeconds(1);

    private final TraceSettings settings;
    private final List<TraceRing> rings;
    private final TraceProvider.Trace trace;

    private NodeTrace(TraceSettings settings, List<TraceRing> rings, TraceProvider.Trace trace) {
        this.settings = settings;
        this.rings = rings;
        this.trace = trace;
    }

    /**
     * Begins the trace that this process requests; returns null if it requests none.
     *
     * @throws SegnoException if a setting is malformed, no service is on the class path, or the service cannot store it
     */
    static @Nullable NodeTrace begin(String jobName, NodeMemory memory) {
        final TraceSettings settings = settings(System.getProperties(), System.getenv());
        if (settings == null) {
            return null;
        }
        final Iterator<TraceProvider> providers =
                ServiceLoader.load(TraceProvider.class).iterator();
        if (!providers.hasNext()) {
            throw new SegnoException(SettingNames.variable(RECORD) + " requests a journal, but none is on the class"
                    + " path: add org.segno:segno-tools or segno.jar, as 'segno run --record' does");
        }
        final List<TraceRing> rings = new ArrayList<>();
        for (int engine = 0; engine < memory.engines(); engine++) {
            rings.add(new TraceRing(settings.ringBytes()));
        }
        final TraceProvider.Trace trace =
                providers.next().begin(new TraceProvider.TracedNode(jobName, memory, rings, settings));
        return new NodeTrace(settings, rings, trace);
    }

    /** Returns the requested settings, or null if there are none. */
    static @Nullable TraceSettings settings(Properties properties, Map<String, String> variables) {
        final String record = value(properties, variables, RECORD);
        if (record == null) {
            return null;
        }
        final String bytes = value(properties, variables, RING_BYTES);
        final String sync = value(properties, variables, SYNC);
        try {
            final int equals = Math.max(0, record.indexOf('='));
            return new TraceSettings(
                    TraceScope.valueOf(record.substring(0, equals).toUpperCase(Locale.ROOT)),
                    Path.of(record.substring(equals + 1)).toAbsolutePath(),
                    Boolean.parseBoolean(value(properties, variables, PAYLOAD)),
                    bytes == null ? TraceRing.DEFAULT_BYTES : ringBytes(bytes),
                    (sync == null ? DEFAULT_SYNC : JobEnvironment.duration(SettingNames.variable(SYNC), sync))
                            .toNanos());
        } catch (final IllegalArgumentException e) {
            throw new SegnoException(
                    SettingNames.variable(RECORD) + "=" + record
                            + " is invalid: it must be all=DIR or pattern=DIR, and "
                            + SettingNames.variable(RING_BYTES) + " a power of two from 1m to 1g: " + bytes,
                    e);
        }
    }

    private static int ringBytes(String text) {
        final long bytes = NodeEnvironment.bytes(text);
        if (bytes < TraceRing.MIN_BYTES || bytes > TraceRing.MAX_BYTES || Long.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("not a capacity of a ring: " + text);
        }
        return (int) bytes;
    }

    private static @Nullable String value(Properties properties, Map<String, String> variables, String name) {
        final String property = properties.getProperty(SettingNames.property(name));
        final String value = SettingNames.isSet(property) ? property : variables.get(SettingNames.variable(name));
        return SettingNames.isSet(value) ? value : null;
    }

    /** Returns the scope of the trace. */
    TraceScope scope() {
        return settings.scope();
    }

    /** Returns true if the payloads of messages are stored too. */
    boolean withPayloads() {
        return settings.withPayloads();
    }

    /** Returns the ring of an engine. */
    TraceRing ring(int engine) {
        return rings.get(engine);
    }

    /** Ends the trace, after the last pass of the engines. */
    void end() {
        trace.end();
    }
}
