package org.segno.tools.observe;

import java.time.Duration;
import java.util.Map;
import java.util.Stack;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.DurationConverter;
import org.segno.tools.command.ExitCode;
import org.segno.tools.output.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code segno stat} command. It prints the counts of a job's nodes, read from outside at no cost to them. */
@Command(
        name = "stat",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description = "Show the counts of a job's nodes while it runs, is stopped, or was kept.",
        footer = {
            "",
            "JOB is the job's name, as 'segno run' prints it or whole; it may be omitted",
            "when one job is running. Exit code: 0; 1 with --errors when an error was",
            "logged; 3 for files of another version; 4 when there is no such job."
        })
public final class StatCommand implements Callable<Integer> {
    private static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(1);

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "JOB", arity = "0..1", description = "the job, or a directory that was kept")
    private @Nullable String job;

    @Mixin
    private final JobOptions options = new JobOptions();

    @Option(
            names = "--watch",
            arity = "0..1",
            paramLabel = "T",
            fallbackValue = "1s",
            preprocessor = Attached.class,
            converter = DurationConverter.class,
            description = "print again every T, 1s by default, until the job has ended")
    private @Nullable Duration interval;

    @Option(
            names = "--filter",
            paramLabel = "REGEX",
            converter = PatternConverter.class,
            description = "show the counts that match, of all counts: 'refused.*'")
    private @Nullable Pattern filter;

    @Option(names = "--rates", description = "show increments per second since the previous report")
    private boolean rates;

    @Option(names = "--errors", description = "list the logged errors too; exit code 1 if there are any")
    private boolean errors;

    @Option(names = "--fifos", description = "list FIFOs and lanes too")
    private boolean fifos;

    @Option(
            names = "--links",
            description = {
                "list the links over Aeron of each process too: bytes, datagrams, repetitions, back",
                "pressure, and dropped datagrams by reason"
            })
    private boolean links;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table, csv, json or ndjson, default ${DEFAULT-VALUE}")
    private Format format = Format.TABLE;

    /** Creates the command. Called by picocli. */
    public StatCommand() {}

    @Override
    public Integer call() {
        if (interval != null && interval.isZero()) {
            throw new ParameterException(spec.commandLine(), "--watch must be above 0: 0s");
        }
        final ObservedJob found = options.open(job);
        final Pattern wanted = filter;
        final StatReport report = new StatReport(
                found,
                wanted == null ? null : name -> wanted.matcher(name).matches(),
                new StatReport.Parts(fifos, links, errors));
        if (report.isEmpty()) {
            throw new CommandException(
                    ExitCode.NOTHING_THERE, "no count matches " + wanted + "; the counts are: " + names());
        }
        watch(found, report);
        return errors && report.errorCount() > 0 ? ExitCode.NEGATIVE_RESULT : ExitCode.DONE;
    }

    private static String names() {
        return String.join(", ", Count.all().stream().map(Count::name).toList());
    }

    private void watch(ObservedJob found, StatReport report) {
        report.look();
        if (rates) {
            pause(interval == null ? DEFAULT_INTERVAL : interval);
        }
        report.report(rates).print(spec.commandLine().getOut(), format);
        while (interval != null
                && found.hasProcesses()
                && !spec.commandLine().getOut().checkError()) {
            report.look();
            pause(interval);
            if (format == Format.TABLE) {
                spec.commandLine().getOut().println();
            }
            report.report(rates).print(spec.commandLine().getOut(), format);
        }
        if (interval != null && !found.hasProcesses()) {
            Console.of(spec).message("job " + found.name() + " has ended");
        }
    }

    private static void pause(Duration duration) {
        final long deadlineNs = System.nanoTime() + duration.toNanos();
        for (long leftNs = duration.toNanos(); leftNs > 0; leftNs = deadlineNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
        }
    }

    /**
     * Preprocessor that accepts a time only if it is attached ({@code --watch=2s}). A separate word after {@code
     * --watch} is the job.
     */
    static final class Attached implements IParameterPreprocessor {
        @Override
        public boolean preprocess(
                Stack<String> arguments, CommandSpec command, ArgSpec option, Map<String, Object> info) {
            if (!"=".equals(info.get("separator"))) {
                arguments.push(((OptionSpec) option).fallbackValue());
            }
            return false;
        }
    }
}
