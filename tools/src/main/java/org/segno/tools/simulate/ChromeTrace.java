package org.segno.tools.simulate;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.segno.simulator.Fault;
import org.segno.simulator.SimulationObserver;
import org.segno.tools.output.JsonObject;

/**
 * Trace of a simulation in the format of Chrome's trace viewer, which Perfetto reads too: one thread for each rank, one
 * instant for each event, virtual microseconds. A fault is drawn over all ranks.
 */
final class ChromeTrace implements SimulationObserver {
    private static final double NS_PER_US = 1_000;

    private static final List<String> FAULTS =
            Stream.of(Fault.values()).map(ConstantList::text).toList();

    private final BufferedWriter out;
    private @Nullable IOException failure;

    private ChromeTrace(BufferedWriter out) {
        this.out = out;
    }

    /** Begins a trace of this number of ranks in a file. */
    static ChromeTrace open(Path file, int ranks, String title) throws IOException {
        final ChromeTrace trace = new ChromeTrace(Files.newBufferedWriter(file, StandardCharsets.UTF_8));
        trace.write("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n" + named("process_name", 0, title));
        for (int rank = 0; rank < ranks; rank++) {
            trace.write(",\n" + named("thread_name", rank, "rank " + rank));
        }
        return trace;
    }

    private static JsonObject named(String property, int rank, String name) {
        return new JsonObject()
                .put("name", property)
                .put("ph", "M")
                .put("pid", 0)
                .put("tid", rank)
                .putObject("args", new JsonObject().put("name", name));
    }

    @Override
    public void event(long virtualNs, int rank, String kind, String text) {
        write(",\n"
                + new JsonObject()
                        .put("name", kind)
                        .put("ph", "i")
                        .put("s", FAULTS.contains(kind) ? "p" : "t")
                        .put("ts", virtualNs / NS_PER_US)
                        .put("pid", 0)
                        .put("tid", rank)
                        .putObject("args", new JsonObject().put("text", text)));
    }

    /** Writes a part. The simulation continues after a failure, which {@link #end} throws. */
    private void write(String text) {
        try {
            if (failure == null) {
                out.write(text);
            }
        } catch (final IOException e) {
            failure = e;
        }
    }

    /**
     * Ends the trace and closes the file.
     *
     * @throws IOException if a part of it could not be written
     */
    void end() throws IOException {
        try (out) {
            write("\n]}\n");
        }
        if (failure != null) {
            throw failure;
        }
    }
}
