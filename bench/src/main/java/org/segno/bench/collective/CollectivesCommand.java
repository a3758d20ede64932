package org.segno.bench.collective;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.Cores;
import org.segno.bench.harness.RunDirectory;
import org.segno.bench.mpi.MpiExperiments;
import org.segno.bench.mpi.MpiProgram;
import org.segno.bench.mpi.TurnOptions;
import org.segno.bench.report.Environment;
import org.segno.bench.report.Median;
import org.segno.node.JobConfig;
import org.segno.tools.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code bench collectives} command. It measures collectives of several processes beside those of MPI. */
@Command(
        name = "collectives",
        mixinStandardHelpOptions = true,
        description = {
            "Measures collectives of 2, 4 and 8 ranks, by each algorithm, beside those of MPI and bare loops in the"
                    + " same minutes. Each call follows a barrier; its time is that of the slowest rank."
        })
public final class CollectivesCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-bench-collectives-3";
    private static final int UNFIT = 3;
    private static final long END_LIMIT_S = 300;

    /** Fields of a line of {@link MeasuredCalls}. */
    private static final int CALL = 2;

    private static final int EACH = 3;
    private static final int START = 4;
    private static final int BARE_START = 5;
    private static final int CLOCK = 6;
    private static final int ALGORITHM = 7;

    private static final double MICRO = 1000;
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:+UseSerialGC", "-Xmx256m", "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final TurnOptions options = new TurnOptions(List.of(2, 4, 8));

    @Option(
            names = "--engines",
            paramLabel = "N",
            description = "Engines of each rank with threads and cores of their own, among which long collectives are"
                    + " divided. Needs N + 1 cores for each rank. Default: 0, the thread of the rank is its engine.")
    private int engines;

    @Option(names = "--only", paramLabel = "REGEX", description = "Measures the tests that match: name and bytes.")
    private String only = "";

    @Option(
            names = "--algorithms",
            paramLabel = "FILE",
            description = "Writes the fastest algorithms to a file, for AlgorithmTable.of.")
    private @Nullable Path algorithms;

    private final MeasuredTable fastest = new MeasuredTable();
    private final List<MpiProgram> mpis = new ArrayList<>();

    /** Figures of one test in ns; of MPI and of bare calls without starts. */
    private record Figures(double call, double each, double start, double bareStart, double clock) {}

    @Override
    public Integer call() throws InterruptedException {
        options.check();
        final Predicate<String> chosen = chosen();
        final Table table = Table.of(
                        "collectives",
                        "ranks",
                        "test",
                        "bytes",
                        "algorithm",
                        "us",
                        "eachUs",
                        "startNs",
                        "bareUs",
                        "bareEachUs",
                        "bareStartNs",
                        "clockNs",
                        "mpi",
                        "mpiUs",
                        "mpiEachUs",
                        "xMpi",
                        "eachXMpi")
                .numbers(value -> String.format(Locale.ROOT, "%.2f", value));
        try {
            requireCores(Cores.allowed().size());
            mpis.addAll(MpiProgram.buildAll("collectives"));
            for (final int size : options.ranks()) {
                measure(size, chosen, table);
            }
        } catch (IOException e) {
            spec.commandLine().getErr().println("bench: " + e.getMessage());
            return UNFIT;
        } finally {
            mpis.forEach(MpiProgram::close);
        }
        if (algorithms != null) {
            try {
                Files.write(algorithms, fastest.lines());
            } catch (IOException e) {
                spec.commandLine().getErr().println("bench: the table cannot be written: " + e);
                return UNFIT;
            }
        }
        final List<String> conditions = List.of(
                "medians of " + options.runs()
                        + " runs in turn; us: after a barrier, the slowest rank; each: back to back",
                engines == 0
                        ? "INVOKER: the rank's thread is its engine"
                        : "DEDICATED, " + engines + " engines with threads of their own in each rank",
                "a core for each thread if there are enough cores; otherwise all ranks share all cores",
                mpis.size() < 2
                        ? "MPI: " + MpiExperiments.description()
                        : "MPI: the better one in each row of "
                                + mpis.stream().map(MpiProgram::version).collect(Collectors.joining(", "))
                                + "; of ranks that share cores, only of those that yield");
        Environment.report(SCHEMA, "segno bench collectives", JVM_OPTIONS, conditions)
                .put("runs", options.runs())
                .add(table)
                .print(spec.commandLine().getOut(), options.format());
        return 0;
    }

    private void requireCores(int allowed) {
        final long needed = Collections.max(options.ranks()) * (engines + 1L);
        if (engines < 0 || (engines > 0 && needed > allowed)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--engines must be 0 or more, with N + 1 cores for each rank: --engines " + engines + " needs "
                            + needed + " cores, " + allowed + " are allowed");
        }
    }

    private Predicate<String> chosen() {
        try {
            return Pattern.compile(only).asPredicate();
        } catch (PatternSyntaxException e) {
            throw new ParameterException(
                    spec.commandLine(), "--only must be a regular expression: " + e.getDescription() + ": " + only, e);
        }
    }

    private void measure(int size, Predicate<String> chosen, Table table) throws IOException, InterruptedException {
        final int cores = Cores.allowed().size();
        final List<CollectiveTest> tests = CollectiveTest.all(size, (size + cores - 1) / cores).stream()
                .filter(test -> chosen.test(test.name() + " " + test.bytes()))
                .toList();
        final List<String> words =
                tests.stream().flatMap(test -> test.words().stream()).toList();
        final Map<String, List<Figures>> own = new LinkedHashMap<>();
        final Map<String, List<Figures>> bare = new LinkedHashMap<>();
        final Map<MpiProgram, Map<String, List<Figures>>> others = new LinkedHashMap<>();
        for (int run = 0; run < options.runs(); run++) {
            for (final String line : segno(size, words)) {
                final String[] fields = line.split(" ", -1);
                add(own, fields[0] + " " + fields[1] + " " + fields[ALGORITHM], fields);
            }
            for (final String line : bare(size, words)) {
                final String[] fields = line.split(" ", -1);
                add(bare, fields[0] + " " + fields[1], fields);
            }
            for (final MpiProgram mpi : mpis) {
                for (final String line : size <= cores || mpi.yields() ? mpi.run(size, words) : List.<String>of()) {
                    final String[] fields = line.split(" ", -1);
                    if (tests.stream().anyMatch(test -> test.name().equals(fields[0]))) {
                        add(
                                others.computeIfAbsent(mpi, first -> new LinkedHashMap<>()),
                                fields[0] + " " + fields[1],
                                fields);
                    }
                }
            }
        }
        own.forEach((key, figures) -> {
            final String[] fields = key.split(" ", -1);
            final Figures segno = Objects.requireNonNull(median(figures));
            fastest.add(size, fields, segno.call);
            final @Nullable Figures limit = median(bare.getOrDefault(fields[0] + " " + fields[1], List.of()));
            final @Nullable MpiProgram better = better(others, fields[0] + " " + fields[1]);
            final @Nullable Figures beside =
                    better == null ? null : figures(others, better, fields[0] + " " + fields[1]);
            table.row(
                    size,
                    fields[0],
                    Long.parseLong(fields[1]),
                    fields[2],
                    segno.call / MICRO,
                    segno.each / MICRO,
                    segno.start,
                    limit == null ? null : limit.call / MICRO,
                    limit == null ? null : limit.each / MICRO,
                    segno.bareStart,
                    segno.clock,
                    better == null ? null : better.version(),
                    beside == null ? null : beside.call / MICRO,
                    beside == null ? null : beside.each / MICRO,
                    beside == null ? null : segno.call / beside.call,
                    beside == null ? null : segno.each / beside.each);
        });
    }

    /** Returns the MPI with the shortest calls of a test, or null if none has measured it. */
    private static @Nullable MpiProgram better(Map<MpiProgram, Map<String, List<Figures>>> others, String key) {
        MpiProgram better = null;
        double shortest = Double.POSITIVE_INFINITY;
        for (final MpiProgram mpi : others.keySet()) {
            final Figures figures = figures(others, mpi, key);
            if (figures != null && figures.call < shortest) {
                better = mpi;
                shortest = figures.call;
            }
        }
        return better;
    }

    private static @Nullable Figures figures(
            Map<MpiProgram, Map<String, List<Figures>>> others, MpiProgram mpi, String key) {
        return median(others.getOrDefault(mpi, Map.of()).getOrDefault(key, List.of()));
    }

    private static void add(Map<String, List<Figures>> all, String key, String[] fields) {
        all.computeIfAbsent(key, first -> new ArrayList<>())
                .add(new Figures(
                        Double.parseDouble(fields[CALL]),
                        Double.parseDouble(fields[EACH]),
                        fields.length > START ? Double.parseDouble(fields[START]) : 0,
                        fields.length > START ? Double.parseDouble(fields[BARE_START]) : 0,
                        fields.length > START ? Double.parseDouble(fields[CLOCK]) : 0));
    }

    private static @Nullable Figures median(List<Figures> figures) {
        if (figures.isEmpty()) {
            return null;
        }
        return new Figures(
                Median.of(figures, Figures::call),
                Median.of(figures, Figures::each),
                Median.of(figures, Figures::start),
                Median.of(figures, Figures::bareStart),
                Median.of(figures, Figures::clock));
    }

    private static String list(List<Integer> cores) {
        return cores.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private List<String> segno(int size, List<String> words) throws IOException, InterruptedException {
        final String job = JobConfig.uniqueName("collectives");
        return run(
                CollectiveRank.class,
                size,
                engines + 1,
                rank -> List.of(job, Integer.toString(rank), Integer.toString(size), Integer.toString(engines)),
                words);
    }

    private static List<String> bare(int size, List<String> words) throws IOException, InterruptedException {
        final boolean shared = size > Cores.allowed().size();
        final Path directory = RunDirectory.make();
        try {
            return run(
                    BareRank.class,
                    size,
                    1,
                    rank -> List.of(
                            directory.toString(),
                            Integer.toString(rank),
                            Integer.toString(size),
                            Boolean.toString(shared)),
                    words);
        } finally {
            RunDirectory.delete(directory);
        }
    }

    /**
     * Runs a job of processes, and returns the lines that rank 0 prints.
     *
     * @param each cores of each rank, if there are enough
     * @param identity first arguments of a rank
     */
    private static List<String> run(
            Class<?> program, int size, int each, IntFunction<List<String>> identity, List<String> words)
            throws IOException, InterruptedException {
        final List<Integer> cores = Cores.allowed();
        final List<Process> processes = new ArrayList<>();
        try {
            for (int rank = 0; rank < size; rank++) {
                final List<String> command = new ArrayList<>();
                if (size * each <= cores.size()) {
                    command.addAll(List.of("taskset", "-c", list(cores.subList(rank * each, (rank + 1) * each))));
                }
                command.add(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString());
                command.addAll(JVM_OPTIONS);
                command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
                command.addAll(identity.apply(rank));
                command.addAll(words);
                processes.add(new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
            }
            final String text = new String(processes.get(0).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            for (final Process process : processes) {
                if (!process.waitFor(END_LIMIT_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                    throw new IOException("a rank of " + size + " has failed; rank 0 printed: " + text.strip());
                }
            }
            return text.lines().toList();
        } finally {
            for (final Process process : processes) {
                process.destroyForcibly().waitFor();
            }
        }
    }
}
