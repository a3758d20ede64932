package org.segno.bench.report;

import java.util.List;
import java.util.Locale;
import org.segno.bench.jmh.Effort;
import org.segno.bench.jmh.JmhRun;
import org.segno.bench.jmh.PartCost;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** Report of the costs of single parts: one row for each benchmark. */
public final class PartsReport {
    private static final String SCHEMA = "segno-bench-parts-1";

    /** Figures below this one are fractions of a byte, which need more decimals. */
    private static final double FRACTION = 0.1;

    private PartsReport() {}

    /** Creates the report. */
    public static Report of(List<PartCost> costs, Effort effort) {
        final Table table = Table.of(
                        "parts",
                        "benchmark",
                        "mode",
                        "best",
                        "median",
                        "worst",
                        "unit",
                        "bytesPerOp",
                        "mayAllocate",
                        "fit")
                .numbers(PartsReport::text);
        costs.forEach(cost -> table.row(
                cost.benchmark(),
                cost.mode() == null ? null : cost.mode().toString(),
                cost.bestNs(),
                cost.medianNs(),
                cost.worstNs(),
                "ns/op",
                cost.bytes(),
                cost.mayAllocate(),
                cost.isFit()));
        final List<String> conditions = List.of(
                "one thread (PostBenchmark two), JMH, " + effort + "; bytes by its gc profiler, all threads",
                "mode: threading of the nodes; without one, the benchmark drives parts of the engine and no node");
        return Environment.report(SCHEMA, "segno bench parts", JmhRun.jvmOptions(), conditions)
                .put("effort", effort)
                .add(table);
    }

    private static String text(double figure) {
        return String.format(Locale.ROOT, figure < FRACTION ? "%.4f" : "%,.2f", figure);
    }
}
