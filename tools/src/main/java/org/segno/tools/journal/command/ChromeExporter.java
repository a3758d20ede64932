package org.segno.tools.journal.command;

import java.io.PrintWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.segno.tools.journal.JournalHeader;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.RecordKind;
import org.segno.tools.output.JsonObject;

/**
 * Trace events in JSON, which Perfetto and Chrome's viewer open: one process for each rank, one thread for each FIFO. A
 * descriptor is an instant; a round is a pair of asynchronous events, because rounds of one FIFO overlap when one
 * waits. Times are microseconds since the start of the journal.
 */
final class ChromeExporter implements LineExporter {
    private static final double NS_PER_US = 1_000;
    private static final int FIFOS = 1 << 16;

    private final PrintWriter out;
    private final List<JournalHeader> headers;
    private final long startNs;
    private final Set<String> named = new HashSet<>();
    private long events;
    private long rounds;

    ChromeExporter(PrintWriter out, List<JournalHeader> headers, long startNs) {
        this.out = out;
        this.headers = headers;
        this.startNs = startNs;
    }

    @Override
    public void begin() {
        out.print("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
        for (final JournalHeader header : headers) {
            event(metadata("process_name", header.rank(), 0, "rank " + header.rank() + " of " + header.jobName()));
            event(new JsonObject()
                    .put("name", "process_sort_index")
                    .put("ph", "M")
                    .put("pid", header.rank())
                    .put("tid", 0)
                    .putObject("args", new JsonObject().put("sort_index", header.rank())));
        }
    }

    private static JsonObject metadata(String name, int rank, int thread, String value) {
        return new JsonObject()
                .put("name", name)
                .put("ph", "M")
                .put("pid", rank)
                .put("tid", thread)
                .putObject("args", new JsonObject().put("name", value));
    }

    @Override
    public void add(JournalRecord record, JournalLine line) {
        if (record.kind() == RecordKind.SECTION) {
            // Not an event: its descriptors are carried out with each round.
            return;
        }
        // Records about no FIFO are events of the rank.
        final boolean isOfFifo = !line.fifo().equals("-");
        final int thread = isOfFifo ? record.context() * FIFOS + record.fifo() + 1 : 0;
        if (isOfFifo && named.add(line.rank() + " " + line.fifo())) {
            event(metadata("thread_name", line.rank(), thread, "FIFO " + line.fifo()));
        }
        if (record.kind() == RecordKind.ROUND) {
            rounds++;
            final double end = (line.timeNs() - startNs) / NS_PER_US;
            event(round("b", record, line, end - record.durationNs() / NS_PER_US));
            event(round("e", record, line, end));
            return;
        }
        event(new JsonObject()
                .put("name", line.kind())
                .put("cat", line.result().startsWith("refused") ? "refused" : "descriptor")
                .put("ph", "i")
                .put("s", "t")
                .put("ts", (line.timeNs() - startNs) / NS_PER_US)
                .put("pid", line.rank())
                .put("tid", thread)
                .putObject("args", arguments(line)));
    }

    private JsonObject round(String phase, JournalRecord record, JournalLine line, double micros) {
        return new JsonObject()
                .put("name", "pattern " + line.pattern())
                .put("cat", "round")
                .put("ph", phase)
                .put("id", rounds)
                .put("ts", micros)
                .put("pid", line.rank())
                .put("tid", record.context() * FIFOS + record.fifo() + 1)
                .putObject("args", arguments(line));
    }

    private static JsonObject arguments(JournalLine line) {
        final JsonObject arguments = new JsonObject()
                .put("to", line.to())
                .put("target", line.target())
                .put("result", line.result());
        if (line.bytes() != null) {
            arguments.put("bytes", line.bytes());
        }
        if (line.round() != null) {
            arguments.put("round", line.round());
        }
        return arguments;
    }

    private void event(JsonObject event) {
        out.print((events == 0 ? "" : ",\n") + event);
        events++;
    }

    @Override
    public void end() {
        out.print("\n]}\n");
        out.flush();
    }
}
