package org.segno.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.segno.bench.report.SavedRun;
import org.segno.bench.report.SavedRun.SavedRow;
import org.segno.tools.output.Format;
import org.segno.tools.output.Quantity;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code bench compare} command: the rows of two saved runs side by side. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = {
            "Compares two results of 'bench' that were saved as JSON, row by row. Rows that differ by more than 5 percent"
                    + " (times) or 10 percent (others) are marked, times only if median and x probe do: the probe moves"
                    + " between runs, and so does the processor. One pair of runs does not show that a difference is more"
                    + " than noise."
        })
public final class CompareCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-compare-1";
    private static final int UNFIT = 3;
    private static final double TIME_NOISE = 1.05;
    private static final double OTHER_NOISE = 1.10;

    /** Number of unpaired rows that are named. */
    private static final int NAMED = 4;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "BEFORE", description = "JSON of the first run.")
    private Path before = Path.of("");

    @Parameters(index = "1", paramLabel = "AFTER", description = "JSON of the second run.")
    private Path after = Path.of("");

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    @Override
    public Integer call() {
        try {
            final SavedRun first = SavedRun.read(before);
            final SavedRun second = SavedRun.read(after);
            new Report(SCHEMA, "# before: " + first.environment() + "\n# after:  " + second.environment())
                    .put("before", first.environment())
                    .put("after", second.environment())
                    .add(table(first, second))
                    .print(spec.commandLine().getOut(), format);
            reportUnpaired(first, second, before);
            reportUnpaired(second, first, after);
            return 0;
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
        }
    }

    /** Reports the rows that only one file has. */
    private void reportUnpaired(SavedRun one, SavedRun other, Path file) {
        final List<String> alone = one.rows().keySet().stream()
                .filter(row -> !other.rows().containsKey(row))
                .toList();
        if (!alone.isEmpty()) {
            spec.commandLine()
                    .getErr()
                    .println("bench: only " + file + " has " + alone.size() + (alone.size() == 1 ? " row: " : " rows: ")
                            + String.join("; ", alone.subList(0, Math.min(NAMED, alone.size())))
                            + (alone.size() > NAMED ? " ..." : ""));
        }
    }

    private static Table table(SavedRun first, SavedRun second) {
        final Table table = Table.of(
                        "comparisons",
                        "row",
                        "before",
                        "after",
                        "unit",
                        "xProbeBefore",
                        "xProbeAfter",
                        "ratio",
                        "ratioOfXProbe",
                        "verdict")
                .numbers(Quantity::ofFigure);
        for (final SavedRow row : first.rows().values()) {
            final SavedRow other = second.rows().get(row.name());
            if (other != null) {
                final boolean isRate = row.unit().endsWith("/s");
                final boolean isTime = row.unit().equals("ns");
                final double ratio = other.median() / row.median();
                final double byProbe = other.xProbe() / row.xProbe();
                table.row(
                        row.name(),
                        row.median(),
                        other.median(),
                        row.unit(),
                        row.xProbe(),
                        other.xProbe(),
                        rounded(ratio),
                        isTime ? rounded(byProbe) : Double.NaN,
                        isTime ? verdict(1 / lesser(ratio, byProbe), true, true) : verdict(ratio, false, isRate));
            }
        }
        return table;
    }

    private static double rounded(double ratio) {
        return Math.round(ratio * 1000) / 1000.0;
    }

    /** Returns the ratio that is nearer to one, or one if they point in different directions. */
    private static double lesser(double one, double other) {
        if (one > 1 && other > 1) {
            return Math.min(one, other);
        }
        return one < 1 && other < 1 ? Math.max(one, other) : 1;
    }

    /** Returns the verdict about an improvement, which is above one if the second run is better. */
    private static String verdict(double improvement, boolean isTime, boolean isOrdered) {
        final double noise = isTime ? TIME_NOISE : OTHER_NOISE;
        if (improvement <= noise && improvement >= 1 / noise) {
            return "";
        }
        if (!isOrdered) {
            return "differs";
        }
        return improvement > 1 ? "better" : "worse";
    }
}
