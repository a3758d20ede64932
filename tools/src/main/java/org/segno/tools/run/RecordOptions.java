package org.segno.tools.run;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.segno.engine.trace.TraceRing;
import org.segno.tools.command.ByteCountConverter;
import org.segno.tools.command.DurationConverter;
import org.segno.tools.run.plan.JournalPlan;
import picocli.CommandLine.Option;

/** Options of the journal of a job. */
final class RecordOptions {
    @Option(
            names = "--record",
            paramLabel = "WHAT=DIR",
            description = {
                "journal for 'segno journal' in the new directory DIR, one queue per rank; all: every descriptor",
                "that engines carry out; pattern: those of patterns, and their rounds"
            })
    private @Nullable String record;

    @Option(names = "--record-payload", description = "also record the payloads of messages")
    private boolean payload;

    @Option(
            names = "--record-ring-bytes",
            paramLabel = "B",
            defaultValue = "16m",
            converter = ByteCountConverter.class,
            description = {
                "memory of each engine for what the recorder has not written yet, a power of two from 1m to 1g;",
                "what finds no room is counted; default ${DEFAULT-VALUE}"
            })
    private long ringBytes = TraceRing.DEFAULT_BYTES;

    @Option(
            names = "--record-sync",
            paramLabel = "T",
            defaultValue = "1s",
            converter = DurationConverter.class,
            description = {
                "interval at which the journal is forced to the storage device, so that it survives a failure of",
                "the host; that of a process alone loses nothing that was written; default ${DEFAULT-VALUE}"
            })
    private Duration sync = JournalPlan.DEFAULT_SYNC;

    /**
     * Returns the plan of the journal, or null for none.
     *
     * @throws IllegalArgumentException if an option is malformed; the message contains it
     */
    @Nullable
    JournalPlan plan() {
        if (record != null) {
            return JournalPlan.of(record, payload, ringBytes, sync);
        }
        if (payload) {
            throw new IllegalArgumentException("--record-payload needs --record all=DIR or pattern=DIR");
        }
        return null;
    }
}
