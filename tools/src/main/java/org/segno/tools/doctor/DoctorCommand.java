package org.segno.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.demo.DemoCommand;
import org.segno.tools.command.ExitCode;
import org.segno.tools.doctor.Finding.State;
import org.segno.tools.observe.JobOptions;
import org.segno.tools.output.Format;
import org.segno.tools.output.Quantity;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;
import org.segno.tools.process.ShellWords;
import org.segno.tools.run.RunCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** {@code segno doctor}: checks whether this host is fit for jobs, and prints a remedy for each problem. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description = "Check whether this host is fit for jobs, and print a remedy for each problem.",
        footer = {"", "Exit code: 0, warnings allowed unless --strict; 1 when a check failed."})
public final class DoctorCommand implements Callable<Integer> {
    static final String SCHEMA = "segno-doctor-1";

    private static final int DEMO_RANKS = 4;
    private static final List<Check> CHECKS = List.of(
            new RuntimeCheck(),
            new SharedMemoryCheck(),
            new CoreCheck(),
            new ProcessorCheck(),
            new ClockCheck(),
            new HugePageCheck(),
            new LimitCheck(),
            new UdpCheck(),
            new LinkCheck(),
            new LeftoverCheck());

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = "--for",
            paramLabel = "COMMAND",
            description = "judge this command, such as 'run -n 4 app.jar'; default: one rank per core")
    private @Nullable String command;

    @Option(names = "--deep", description = "also measure memory copy, timer and wake-up; takes a second")
    private boolean deep;

    @Option(names = "--strict", description = "exit code 1 for warnings too")
    private boolean strict;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table, csv, json or ndjson, default ${DEFAULT-VALUE}")
    private Format format = Format.TABLE;

    /** Creates the command, for picocli. */
    public DoctorCommand() {}

    @Override
    public Integer call() {
        final Host host = Host.here();
        final CheckedJob job = new CheckedJob(ranks(host), command != null, JobOptions.parent());
        final List<Finding> findings = look(host, job);
        report(findings, job, format).print(spec.commandLine().getOut(), format);
        return exitCode(findings, strict);
    }

    private List<Finding> look(Host host, CheckedJob job) {
        final List<Finding> findings = new ArrayList<>();
        CHECKS.forEach(check -> findings.addAll(check.look(host, job)));
        if (deep) {
            findings.addAll(new DeepCheck().look(host, job));
        }
        return findings;
    }

    static int exitCode(List<Finding> findings, boolean strict) {
        final boolean failed = count(findings, State.FAIL) > 0 || (strict && count(findings, State.WARN) > 0);
        return failed ? ExitCode.NEGATIVE_RESULT : ExitCode.DONE;
    }

    static Report report(List<Finding> findings, CheckedJob job, Format format) {
        final Report report = new Report(SCHEMA, "")
                .put("ranks", job.ranks())
                .put("warnings", count(findings, State.WARN))
                .put("failures", count(findings, State.FAIL));
        if (format == Format.TABLE) {
            for (final Finding finding : findings) {
                report.note(line(finding));
            }
            return report.note(Quantity.of(count(findings, State.WARN), "warning") + ", "
                    + Quantity.of(count(findings, State.FAIL), "failure"));
        }
        final Table table = Table.of("checks", "state", "check", "measured", "why", "remedy");
        for (final Finding finding : findings) {
            table.row(finding.state().toString(), finding.check(), finding.measured(), finding.why(), finding.remedy());
        }
        return report.add(table);
    }

    private static String line(Finding finding) {
        final StringBuilder line = new StringBuilder(String.format("%-4s  %s", finding.state(), finding.measured()));
        for (final String more : List.of(finding.why(), finding.remedy())) {
            line.append(more.isEmpty() ? "" : "\n      " + more);
        }
        return line.toString();
    }

    private static long count(List<Finding> findings, State state) {
        return findings.stream().filter(finding -> finding.state() == state).count();
    }

    /** Returns the number of ranks of the command of {@code --for}, or one per core without it. */
    private int ranks(Host host) {
        if (command == null) {
            return host.cores();
        }
        final List<String> words = words(command);
        final boolean demo = words.get(0).equals("demo");
        if (!demo && !words.get(0).equals("run")) {
            throw wrong("--for takes a run or demo command: '" + command + "'");
        }
        final CommandLine line = demo ? new CommandLine(new DemoCommand()) : RunCommand.commandLine();
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setDefaultValueProvider(spec.root().commandLine().getDefaultValueProvider());
        final Integer ranks;
        try {
            ranks = ranks(line.parseArgs(words.subList(1, words.size()).toArray(String[]::new)));
        } catch (final ParameterException e) {
            throw wrong("--for '" + command + "': " + e.getMessage());
        }
        if (ranks != null && ranks < 1) {
            throw wrong("--for '" + command + "': -n must be 1 or more");
        }
        if (ranks != null) {
            return ranks;
        }
        return !demo ? host.cores() : words.size() > 1 ? DEMO_RANKS : DemoCommand.RANKS;
    }

    /** Returns the words of a text, at least one. */
    private List<String> words(String text) {
        try {
            final List<String> words = ShellWords.split(text);
            return words.isEmpty() ? List.of("") : words;
        } catch (final IllegalArgumentException e) {
            throw wrong("--for: " + e.getMessage());
        }
    }

    private static @Nullable Integer ranks(ParseResult parsed) {
        final OptionSpec option = parsed.commandSpec().findOption("-n");
        if (option != null && option.getValue() instanceof Integer ranks) {
            return ranks;
        }
        return parsed.hasSubcommand() ? ranks(parsed.subcommand()) : null;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
