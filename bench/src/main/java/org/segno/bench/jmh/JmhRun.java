package org.segno.bench.jmh;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;

/** Search for benchmarks, and their execution one at a time. */
public final class JmhRun {
    /**
     * Options of forks, with the flag that Agrona needs. A heap of fixed size, touched at start, avoids page faults.
     */
    private static final String[] JVM_OPTIONS = {
        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
        "-XX:+UseParallelGC",
        "-Xms256m",
        "-Xmx256m",
        "-XX:+AlwaysPreTouch",
        "-XX:-UsePerfData"
    };

    /** The profiler's label of the bytes that are allocated by an operation. */
    private static final String BYTES_LABEL = "gc.alloc.rate.norm";

    private static final double MEDIAN = 50;

    private JmhRun() {}

    /**
     * Returns the full names of all benchmarks that an expression matches, sorted.
     *
     * @throws java.util.regex.PatternSyntaxException if it is not a regular expression
     */
    public static List<String> find(String expression) {
        final Pattern pattern = Pattern.compile(expression);
        final OutputFormat silent = OutputFormatFactory.createFormatInstance(
                new PrintStream(new ByteArrayOutputStream()), VerboseMode.SILENT);
        return BenchmarkList.defaultList().getAll(silent, List.of()).stream()
                .map(BenchmarkListEntry::getUsername)
                .filter(name -> pattern.matcher(name).find())
                .sorted()
                .toList();
    }

    /** Returns the options of the forks. */
    public static List<String> jvmOptions() {
        return List.of(JVM_OPTIONS);
    }

    /**
     * Runs one benchmark.
     *
     * @param benchmark its full name
     * @throws IllegalStateException if it fails, with the complete output of JMH and the fork
     */
    public static PartCost measure(String benchmark, Effort effort) {
        final Options options = new OptionsBuilder()
                .include("^" + Pattern.quote(benchmark) + "$")
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .addProfiler(GCProfiler.class)
                .addProfiler(EngineMode.class)
                .forks(effort.forks())
                .jvmArgs(JVM_OPTIONS)
                .warmupIterations(effort.warmups())
                .warmupTime(effort.warmupTime())
                .measurementIterations(effort.iterations())
                .measurementTime(effort.iterationTime())
                .shouldFailOnError(true)
                .build();
        EngineMode.reset();
        final ByteArrayOutputStream said = new ByteArrayOutputStream();
        final PrintStream log = new PrintStream(said, true, StandardCharsets.UTF_8);
        try {
            final RunResult result =
                    new Runner(options, OutputFormatFactory.createFormatInstance(log, VerboseMode.NORMAL)).runSingle();
            return cost(benchmark, result, effort.iterationTime().convertTo(TimeUnit.NANOSECONDS));
        } catch (RunnerException e) {
            throw new IllegalStateException(
                    benchmark + " failed: " + e.getMessage() + "\n" + said.toString(StandardCharsets.UTF_8), e);
        }
    }

    private static PartCost cost(String benchmark, RunResult result, long iterationNs) {
        final Result<?> time = result.getPrimaryResult();
        final Result<?> bytes = result.getSecondaryResults().get(BYTES_LABEL);
        if (bytes == null) {
            throw new IllegalStateException("this JVM does not report the allocation of its threads: "
                    + result.getSecondaryResults().keySet());
        }
        final Statistics times = time.getStatistics();
        return new PartCost(
                shortName(benchmark),
                EngineMode.in(result.getSecondaryResults()),
                times.getMin(),
                times.getPercentile(MEDIAN),
                times.getMax(),
                bytes.getStatistics().getPercentile(MEDIAN),
                PartCost.ownBytes(times.getPercentile(MEDIAN), (double) iterationNs),
                mayAllocate(benchmark));
    }

    /** Returns class and method. The package is the same for all. */
    private static String shortName(String benchmark) {
        return benchmark.substring(benchmark.lastIndexOf('.', benchmark.lastIndexOf('.') - 1) + 1);
    }

    private static boolean mayAllocate(String benchmark) {
        final int dot = benchmark.lastIndexOf('.');
        try {
            final Method[] methods = Class.forName(benchmark.substring(0, dot)).getMethods();
            return Arrays.stream(methods)
                    .anyMatch(method -> method.getName().equals(benchmark.substring(dot + 1))
                            && method.isAnnotationPresent(AllocatesByDesign.class));
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("JMH's list names a class that does not exist: " + benchmark, e);
        }
    }
}
