package org.segno.bench.split;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.segno.bench.report.Environment;
import org.segno.tools.output.Format;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The {@code bench split} command: bandwidth of long puts, whole and split over two FIFOs, with one engine and with
 * two.
 */
@Command(
        name = "split",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the bandwidth of long puts, each awaited before the next: whole and split over two injection"
                    + " FIFOs, with one engine and with two, which have threads of their own. Median of the repetitions."
        })
public final class SplitCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-split-1";
    private static final int MAX_BYTES = 1 << 30;
    private static final int BYTES_A_TURN = 64 << 20;

    /** Variants, of which the others are compared with the first. */
    private static final List<Variant> VARIANTS =
            List.of(new Variant(1, false), new Variant(1, true), new Variant(2, false), new Variant(2, true));

    /**
     * One way to put.
     *
     * @param engines number of engines with threads of their own
     * @param split true to split over two FIFOs; with two engines each has one of them
     */
    private record Variant(int engines, boolean split) {
        String title() {
            return (split ? "split, " : "whole, ") + engines + (engines == 1 ? " engine" : " engines");
        }
    }

    /** Median time of a put, and the threading of the engines that have executed it. */
    private record Put(Variant variant, String mode, double timeNs) {}

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--repetitions", paramLabel = "N", description = "Rounds over all variants. Default: 15.")
    private int repetitions = 15;

    @Option(
            names = "--bytes",
            paramLabel = "N",
            split = ",",
            description = "Bytes of a put. Default: 65536, 262144, 1048576, 4194304, 16777216.")
    private int[] sizes = {64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};

    @Option(names = "--format", paramLabel = "F", description = "table, csv, json or ndjson. Default: table.")
    private Format format = Format.TABLE;

    @Override
    public Integer call() {
        if (repetitions < 1 || Arrays.stream(sizes).anyMatch(size -> size < 1 || size > MAX_BYTES)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--repetitions must be 1 or more, --bytes 1 to " + MAX_BYTES + ": " + repetitions + ", "
                            + Arrays.toString(sizes));
        }
        final Table table = Table.of(
                        "puts", "bytes", "variant", "mode", "engines", "fifos", "bandwidth", "unit", "ratio")
                .numbers(value -> String.format(Locale.ROOT, "%.2f", value));
        for (final int size : sizes) {
            table.startGroup();
            addRows(table, size, measure(size));
        }
        final List<String> conditions = List.of(
                "median of " + repetitions + "; ratio: to whole, 1 engine",
                "no INVOKER: there one thread runs a context's FIFOs, and the halves would be copied in turn");
        Environment.report(SCHEMA, "segno bench split", jvmOptions(), conditions)
                .put("repetitions", repetitions)
                .add(table)
                .print(spec.commandLine().getOut(), format);
        return 0;
    }

    /** Returns the options of this JVM, which measures. */
    private static List<String> jvmOptions() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments();
    }

    /**
     * Measures the nanoseconds of a put, by variant. Only one pair exists at a time, because further spinning engines
     * would take the cores of the measured ones.
     */
    private List<Put> measure(int size) {
        final int putCount = Math.max(1, BYTES_A_TURN / size);
        final double[][] times = new double[VARIANTS.size()][repetitions];
        final String[] modes = new String[VARIANTS.size()];
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (int engines = 1; engines <= 2; engines++) {
                try (SplitPair pair = SplitPair.open(engines, size)) {
                    for (int i = 0; i < times.length; i++) {
                        final Variant variant = VARIANTS.get(i);
                        if (variant.engines() == engines) {
                            // The first puts touch the pages and warm up.
                            pair.timeNs(size, putCount, variant.split());
                            modes[i] = pair.mode().toString();
                            times[i][repetition] = pair.timeNs(size, putCount, variant.split());
                        }
                    }
                }
            }
        }
        // Exact: there is a handful of repetitions.
        final List<Put> puts = new ArrayList<>();
        for (int i = 0; i < times.length; i++) {
            Arrays.sort(times[i]);
            puts.add(new Put(VARIANTS.get(i), modes[i], times[i][repetitions / 2]));
        }
        return puts;
    }

    private static void addRows(Table table, int size, List<Put> puts) {
        for (final Put put : puts) {
            table.row(
                    size,
                    put.variant.title(),
                    put.mode,
                    put.variant.engines(),
                    put.variant.split() ? 2 : 1,
                    size / put.timeNs,
                    "GB/s",
                    puts.get(0).timeNs / put.timeNs);
        }
    }
}
