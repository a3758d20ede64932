package org.segno.tools.journal.command;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.HdrHistogram.Histogram;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.RecordKind;

/** Distribution of the times of replayed rounds on their engines, in the format of HdrHistogram's plotter. */
final class HistogramExporter implements LineExporter {
    private static final int DIGITS = 3;
    private static final double NS_PER_US = 1_000;

    private final PrintWriter out;
    private final Histogram times = new Histogram(DIGITS);

    HistogramExporter(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void begin() {
        // Everything is written at the end.
    }

    @Override
    public void add(JournalRecord record, JournalLine line) {
        if (record.kind() == RecordKind.ROUND && !record.isRecording()) {
            times.recordValue(Math.max(0, record.durationNs()));
        }
    }

    @Override
    public void end() {
        final ByteArrayOutputStream text = new ByteArrayOutputStream();
        times.outputPercentileDistribution(new PrintStream(text, false, StandardCharsets.UTF_8), NS_PER_US);
        out.print(text.toString(StandardCharsets.UTF_8));
        out.flush();
    }
}
