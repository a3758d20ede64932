package org.segno.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.segno.bench.jmh.Effort;
import org.segno.bench.jmh.JmhRun;
import org.segno.bench.jmh.PartCost;
import org.segno.bench.report.PartsReport;
import org.segno.tools.output.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code bench parts} command: JMH benchmarks of single parts, none of which may allocate. */
@Command(
        name = "parts",
        mixinStandardHelpOptions = true,
        description = {
            "Measures single parts of the engine with JMH, on one thread but for posted work, and fails with exit"
                    + " code 1 if one of them allocates on the heap."
        })
final class PartsCommand implements Callable<Integer> {
    private static final int ALLOCATES = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            arity = "0..1",
            paramLabel = "REGEX",
            description =
                    "Runs the benchmarks that match: class and method, as --list shows them. Default: all but the 60 of"
                            + " CombineOperatorsBenchmark.")
    private String only = "^(?!.*\\.CombineOperatorsBenchmark\\.)";

    @Option(names = "--list", description = "Lists the benchmarks and exits.")
    private boolean list;

    @Option(names = "--quick", description = "A short run: about three seconds a benchmark.")
    private boolean quick;

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    @Override
    public Integer call() {
        final PrintWriter out = spec.commandLine().getOut();
        final List<String> benchmarks = find();
        if (list) {
            benchmarks.forEach(out::println);
            out.flush();
            return 0;
        }
        final Effort effort = quick ? Effort.QUICK : Effort.FULL;
        final List<PartCost> costs = measure(benchmarks, effort);
        PartsReport.of(costs, effort).print(out, format);
        return verdict(costs);
    }

    private List<String> find() {
        final List<String> benchmarks;
        try {
            benchmarks = JmhRun.find(only);
        } catch (PatternSyntaxException e) {
            throw new ParameterException(spec.commandLine(), "REGEX is not a regular expression: " + e.getMessage(), e);
        }
        if (benchmarks.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "REGEX matches no benchmark (see --list): " + only);
        }
        return benchmarks;
    }

    private static List<PartCost> measure(List<String> benchmarks, Effort effort) {
        final List<PartCost> costs = new ArrayList<>();
        for (final String benchmark : benchmarks) {
            Bench.showProgress("measuring,", costs.size(), benchmarks.size(), "benchmarks");
            PartCost cost = JmhRun.measure(benchmark, effort);
            if (!cost.isFit()) {
                // On busy cores, JMH's own allocation is divided by few operations: measure longer before reporting an
                // allocation.
                cost = JmhRun.measure(benchmark, Effort.SURE);
            }
            costs.add(cost);
        }
        return costs;
    }

    private int verdict(List<PartCost> costs) {
        final String unfit = costs.stream()
                .filter(cost -> !cost.isFit())
                .map(PartCost::benchmark)
                .collect(Collectors.joining(", "));
        if (unfit.isEmpty()) {
            return 0;
        }
        spec.commandLine()
                .getErr()
                .println(String.format(
                        Locale.ROOT,
                        "bench: more than %.2f bytes allocated, and more than by JMH itself: %s",
                        PartCost.NOTHING_BYTES,
                        unfit));
        return ALLOCATES;
    }
}
