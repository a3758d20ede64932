package org.segno.bench;

import java.io.IOException;
import java.nio.file.Path;
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
            "Compares two results of 'bench' that were saved as JSON, row by row. Times are compared by x probe, all"
                    + " others by their median. Rows that differ by more than 5 percent (times) or 10 percent (others) are marked;"
                    + " one pair of runs does not show that a difference is more than noise."
        })
public final class CompareCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-compare-1";
    private static final int UNFIT = 3;
    private static final double TIME_NOISE = 1.05;
    private static final double OTHER_NOISE = 1.10;

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
            return 0;
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
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
                        "verdict")
                .numbers(Quantity::ofFigure);
        for (final SavedRow row : first.rows().values()) {
            final SavedRow other = second.rows().get(row.name());
            if (other != null) {
                final boolean isRate = row.unit().endsWith("/s");
                final boolean isTime = row.unit().equals("ns");
                final double ratio = isTime ? other.xProbe() / row.xProbe() : other.median() / row.median();
                table.row(
                        row.name(),
                        row.median(),
                        other.median(),
                        row.unit(),
                        row.xProbe(),
                        other.xProbe(),
                        Math.round(ratio * 1000) / 1000.0,
                        verdict(isTime ? 1 / ratio : ratio, isTime, isTime || isRate));
            }
        }
        return table;
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
