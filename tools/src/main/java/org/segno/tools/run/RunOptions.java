package org.segno.tools.run;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.SettingNames;
import org.segno.operation.MessageLimits;
import org.segno.tools.command.ByteCountConverter;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.DurationConverter;
import org.segno.tools.command.ExitCode;
import org.segno.tools.output.Quantity;
import org.segno.tools.process.ShellWords;
import org.segno.tools.program.Java;
import org.segno.tools.program.Program;
import org.segno.tools.run.job.Launcher;
import org.segno.tools.run.plan.Binding;
import org.segno.tools.run.plan.HostMap;
import org.segno.tools.run.plan.JobHost;
import org.segno.tools.run.plan.JobPart;
import org.segno.tools.run.plan.JournalPlan;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.plan.OutputPlan;
import org.segno.tools.run.plan.Placement;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the run of a job, shared by {@code segno run} and all demos. */
public final class RunOptions {
    /** The values of {@code --display}. */
    enum Display {
        MAP
    }

    /** Ranks of a demo without {@code -n} and hosts. */
    private static final int DEMO_RANKS = 4;

    /** The kinds of ranks. */
    enum As {
        PROCESSES,
        THREADS
    }

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--as",
            paramLabel = "KIND",
            defaultValue = "processes",
            description = {
                "processes: one process per rank; threads: all ranks in one JVM, whose main class",
                "implements org.segno.node.RankMain; default ${DEFAULT-VALUE}"
            })
    private As as = As.PROCESSES;

    @Option(
            names = "--output",
            paramLabel = "KIND",
            split = ",",
            description = {
                "tag: '[2]<out> ' before each line of rank 2; timestamp: seconds since the start;",
                "merge: standard error goes where standard output goes; dir=D: D/rank-2.out and .err;",
                "file=P: one file for both, with %%r rank, %%R the same with leading zeros, %%h host,",
                "%%j job in P; dir=D:copy and file=P:copy: also to the launcher's own streams"
            })
    private List<String> outputs = List.of();

    @Option(names = "--tag-output", description = "short for --output tag")
    private boolean tagged;

    @Option(
            names = "--timeout",
            paramLabel = "T",
            converter = DurationConverter.class,
            description = "end the job after this time, with exit code 124; 0s: never; also MPIEXEC_TIMEOUT in seconds")
    private @Nullable Duration timeout;

    @Option(
            names = "--start-timeout",
            paramLabel = "T",
            defaultValue = "30s",
            converter = DurationConverter.class,
            description = "time that ranks wait for each other to join, default ${DEFAULT-VALUE}")
    private Duration startTimeout = LaunchPlan.DEFAULT_START_TIMEOUT;

    @Option(
            names = "--kill-grace",
            paramLabel = "T",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "time between TERM and KILL, default ${DEFAULT-VALUE}")
    private Duration killGrace = LaunchPlan.DEFAULT_KILL_GRACE;

    @Option(
            names = "--keep-going",
            description = "let the other ranks go on after one has failed, for programs that survive deaths")
    private boolean goingOn;

    @Option(names = "--wdir", paramLabel = "D", description = "working directory of the ranks")
    private @Nullable Path directory;

    @Option(
            names = "--config",
            paramLabel = "F",
            description = "file of settings, for those that are set nowhere else: lines such as 'kill-grace = 2s'")
    @SuppressWarnings("unused") // the settings read it before any other option is parsed
    private @Nullable Path settings;

    @Option(
            names = "-x",
            paramLabel = "VAR[=V]",
            description = "export a variable to all ranks, 'PRE*': all that begin with PRE; ranks inherit all anyway")
    private List<String> exports = List.of();

    @Option(
            names = "--stdin",
            paramLabel = "R",
            defaultValue = "0",
            description = "the rank that reads standard input, or none; default ${DEFAULT-VALUE}")
    private String input = "0";

    @Option(names = "--java", paramLabel = "D", description = "the JDK or JRE that Java programs run on")
    private @Nullable Path javaHome;

    @Option(
            names = "--java-opts",
            paramLabel = "'…'",
            defaultValue = "",
            description = "options for the JVMs of Java programs, as a shell reads them")
    private String javaOptions = "";

    @Option(
            names = "--bind-to",
            paramLabel = "KIND",
            defaultValue = "none",
            description = {
                "none, threads (each engine thread to a core) or core (each process to a core);",
                "default ${DEFAULT-VALUE}"
            })
    private Binding binding = Binding.NONE;

    @Option(names = "--report-bindings", description = "print the binding of each rank")
    private boolean bindingsReported;

    @Option(names = "--display", paramLabel = "map", description = "map: print host, program and binding of each rank")
    private @Nullable Display display;

    @Option(names = "--no-oversubscribe", description = "refuse more ranks than cores")
    private boolean oversubscriptionRefused;

    @Option(names = "--stack-traces", description = "request a thread dump from each rank when --timeout is reached")
    private boolean stackTraces;

    @Option(names = "--jfr", paramLabel = "DIR", description = "one flight recording per rank: DIR/rank-2.jfr")
    private @Nullable Path recordings;

    @Option(
            names = "--immediate-limit",
            paramLabel = "B",
            defaultValue = "32",
            converter = ByteCountConverter.class,
            description = {
                "longest message, in bytes of metadata and payload, that a messenger sends by value, at most 32;",
                "default ${DEFAULT-VALUE}"
            })
    private long immediateLimit = MessageLimits.DEFAULT.immediateBytes();

    @Option(
            names = "--eager-limit",
            paramLabel = "B",
            defaultValue = "16k",
            converter = ByteCountConverter.class,
            description = {
                "longest message, in bytes of metadata and payload, that a messenger sends through the lane, if the",
                "lane takes that length; longer ones go by rendezvous; default ${DEFAULT-VALUE}"
            })
    private long eagerLimit = MessageLimits.DEFAULT.eagerBytes();

    @Mixin
    private final HostOptions hostOptions = new HostOptions();

    @Mixin
    private final NodeOptions nodeOptions = new NodeOptions();

    @Mixin
    private final RecordOptions recordOptions = new RecordOptions();

    @Option(names = "--keep", description = "keep the job directory after the end of the job")
    private boolean kept;

    @Option(names = "--dry-run", description = "print the commands and start nothing")
    private boolean dryRun;

    /** Creates the options, for the command that takes them. */
    public RunOptions() {}

    /** Returns the ranks' working directory, absolute. */
    Path directory() {
        return (directory == null ? Path.of("") : directory).toAbsolutePath().normalize();
    }

    /**
     * Returns the number of ranks: the given one, or the slots of all hosts, or {@code otherwise} if neither is given.
     *
     * @throws IllegalArgumentException if the hosts are malformed; the message contains the option.
     */
    int rankCount(@Nullable Integer given, int otherwise) {
        if (given != null) {
            return given;
        }
        final List<JobHost> hosts = hostOptions.hosts();
        return hosts.isEmpty() ? otherwise : HostMap.slots(hosts);
    }

    /** Returns the number of ranks of a demo, as {@link #rankCount} does. */
    public int demoRankCount(@Nullable Integer given) {
        try {
            return rankCount(given, DEMO_RANKS);
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns a part with the directory and the variables of these options. */
    JobPart part(int rankCount, Program program) {
        return new JobPart(rankCount, program, directory(), Exports.variables(exports, System.getenv()));
    }

    /**
     * Runs a job to its end, or prints the commands that would be started.
     *
     * @return the exit code
     * @throws IllegalArgumentException if the plan is not possible; the message contains the option.
     */
    int launch(List<JobPart> parts) throws InterruptedException {
        return launch(plan(parts));
    }

    /**
     * Runs a program, as {@link #launch} does, all ranks of which join the job. If there is no room for their nodes, no
     * rank is started.
     *
     * @return the exit code
     * @throws ParameterException if the plan is not possible; the message contains the option.
     * @throws CommandException if there is no room.
     */
    public int launchJoining(int rankCount, Program program) throws InterruptedException {
        final LaunchPlan plan;
        try {
            plan = plan(List.of(part(rankCount, program))).withJoining(true);
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        return launch(plan);
    }

    private int launch(LaunchPlan plan) throws InterruptedException {
        final Console console = Console.of(spec);
        warnOfUnknownExports(plan, console);
        if (display != null || bindingsReported) {
            Launcher.map(plan, display != null).forEach(console::message);
        }
        if (!dryRun) {
            final JournalPlan journal = plan.journal();
            if (journal != null) {
                journal.check();
            }
            return Launcher.run(plan, console);
        }
        final PrintWriter out = spec.commandLine().getOut();
        Launcher.describe(plan).forEach(out::println);
        out.flush();
        return ExitCode.DONE;
    }

    /** Warns about misspelt variables of {@code -x}. The ranks rely on it and check none themselves. */
    private static void warnOfUnknownExports(LaunchPlan plan, Console console) {
        final Set<String> exported = new TreeSet<>();
        plan.parts().forEach(part -> exported.addAll(part.variables().keySet()));
        exported.removeAll(System.getenv().keySet());
        SettingNames.unknownVariables(exported).forEach(console::problem);
    }

    private LaunchPlan plan(List<JobPart> parts) {
        final OutputPlan output = OutputPlan.of(outputs);
        final boolean javaAsked = javaHome != null || !javaOptions.isBlank() || recordings != null;
        if (javaAsked && parts.stream().noneMatch(part -> part.program().isJava())) {
            throw new IllegalArgumentException("--java, --java-opts and --jfr are for Java programs: "
                    + parts.get(0).program().jobName() + " is a command; set JAVA_TOOL_OPTIONS for it");
        }
        if (as == As.THREADS) {
            checkThreads(parts);
        }
        final JournalPlan journal = recordOptions.plan();
        final LaunchPlan plan = LaunchPlan.of(journal == null ? parts : withJournal(parts))
                .withJournal(journal)
                .withThreads(as == As.THREADS)
                .withJava(java())
                .withOutput(tagged ? output.withTag() : output)
                .withBinding(binding)
                .withInput(inputRank())
                .withStackTraces(stackTraces)
                .withRecordings(recordings == null ? null : recordings.toAbsolutePath())
                .withMessageLimits(messageLimits())
                .withNodeSettings(nodeOptions.settings())
                .withKept(kept)
                .withTimeout(timeout)
                .withStartTimeout(startTimeout)
                .withKillGrace(killGrace)
                .withGoingOn(goingOn)
                .withOversubscriptionRefused(oversubscriptionRefused)
                .withBindingsReported(bindingsReported);
        final LaunchPlan placed = hostOptions.apply(plan);
        if (placed.threaded() && placed.hosts().isRemote()) {
            throw new IllegalArgumentException("--as threads runs all ranks in one JVM, but --host names "
                    + Quantity.of(placed.hosts().hosts().size(), "host") + "; use --as processes");
        }
        return placed;
    }

    /** Returns the parts with segno, which has the recorder, on the class path of each program. */
    private static List<JobPart> withJournal(List<JobPart> parts) {
        return parts.stream()
                .map(part -> new JobPart(
                        part.rankCount(),
                        part.program().recorded(part.directory()),
                        part.directory(),
                        part.variables()))
                .toList();
    }

    private void checkThreads(List<JobPart> parts) {
        final String remedy = "; use --as processes";
        if (parts.size() > 1) {
            throw new IllegalArgumentException("--as threads runs one program, not " + parts.size() + remedy);
        }
        if (!parts.get(0).program().isJava()) {
            throw new IllegalArgumentException("--as threads runs a Java program, but "
                    + parts.get(0).program().jobName() + " is a command" + remedy);
        }
        if (binding != Binding.NONE) {
            throw new IllegalArgumentException("--bind-to " + Placement.name(binding)
                    + " is for ranks that are processes: omit it with --as threads, or use --as processes");
        }
    }

    private MessageLimits messageLimits() {
        final int most = MessageLimits.DEFAULT.immediateBytes();
        if (immediateLimit > most) {
            throw new IllegalArgumentException("--immediate-limit must be 0 to " + most + ": " + immediateLimit);
        }
        return new MessageLimits((int) immediateLimit, eagerLimit);
    }

    private int inputRank() {
        try {
            return input.equalsIgnoreCase("none") ? LaunchPlan.NO_RANK : Integer.parseUnsignedInt(input);
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException("--stdin must be none or a rank: '" + input + "'", e);
        }
    }

    private Java java() {
        final Java own = Java.own().with(ShellWords.split(javaOptions));
        final Path home = javaHome;
        if (home == null) {
            return own;
        }
        final Java java = new Java(home.toAbsolutePath().normalize(), own.options());
        if (!Files.isExecutable(java.executable())) {
            throw new CommandException(
                    ExitCode.NOT_FIT, "--java must be the home of a JDK or JRE with an executable bin/java: " + home);
        }
        return java;
    }
}
