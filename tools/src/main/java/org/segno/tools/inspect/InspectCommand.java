package org.segno.tools.inspect;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeLayout;
import org.segno.saved.SavedFile;
import org.segno.tools.command.ExitCode;
import org.segno.tools.inspect.record.Broken;
import org.segno.tools.observe.JobOptions;
import org.segno.tools.observe.ObservedJob;
import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Format;
import org.segno.tools.output.Quantity;
import org.segno.tools.output.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code segno inspect} command. It shows the node files of a job, record by record, and checks them. */
@Command(
        name = "inspect",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        customSynopsis = {
            "segno inspect [options] [JOB|DIR] [TOPIC]",
            "       TOPIC: node, fifo, descriptor, counter, region, pattern, links or errors",
            "       segno inspect [options] FILE [pattern]"
        },
        description = {
            "Show and check the node files of a job that runs, is stopped, or was kept; or show the"
                    + " patterns in a FILE that SavedPatterns has written."
        },
        footer = {
            "",
            "Without TOPIC everything is checked and little is shown. Read-only: the job is",
            "not disturbed. Exit code: 0; 1 when a value is invalid, each on a line of its",
            "own; 3 for files of another version, damaged headers, or an incomplete FILE;",
            "4 when there is no such job or pattern."
        })
public final class InspectCommand implements Callable<Integer> {
    private static final String SCHEMA = "segno-inspect-1";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(
            paramLabel = "WORD",
            arity = "0..2",
            hidden = true,
            description = "job, directory or file, and topic; either may be omitted")
    private List<String> words = List.of();

    @Mixin
    private final JobOptions options = new JobOptions();

    @Option(
            names = "--id",
            paramLabel = "N",
            description = "this FIFO, counter, region, pattern or error, word by word")
    private @Nullable Integer id;

    @Option(names = "--from", paramLabel = "POS", description = "begin at this position, slot or byte")
    private @Nullable Long from;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "10",
            description = "entries of each list, default ${DEFAULT-VALUE}; 0 for all")
    private int limit = 10;

    @Option(names = "--hex", description = "values in hexadecimal; of a region its bytes")
    private boolean hex;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table, csv, json or ndjson, default ${DEFAULT-VALUE}")
    private Format format = Format.TABLE;

    /** Creates the command. Called by picocli. */
    public InspectCommand() {}

    @Override
    public Integer call() {
        if (limit < 0 || (from != null && from < 0) || (id != null && id < 0)) {
            throw new ParameterException(spec.commandLine(), "--id, --from and --limit must not be negative");
        }
        final @Nullable Topic topic = topic();
        final Path file = savedFile();
        if (file != null) {
            inspect(file, topic).print(spec.commandLine().getOut(), format);
            return ExitCode.DONE;
        }
        final ObservedJob job = options.open(jobWord());
        final Broken broken = new Broken();
        report(job, topic, broken).print(spec.commandLine().getOut(), format);
        return broken.isEmpty() ? ExitCode.DONE : ExitCode.NEGATIVE_RESULT;
    }

    /** Returns the last word as the topic if it names one. A single word with that name is always the topic. */
    private @Nullable Topic topic() {
        if (words.isEmpty()) {
            return null;
        }
        final String last = words.get(words.size() - 1);
        final Optional<Topic> topic = Topic.of(last);
        if (topic.isEmpty() && words.size() == 2) {
            throw new ParameterException(
                    spec.commandLine(),
                    "'" + last + "' is not a topic: "
                            + Stream.of(Topic.values()).map(Topic::word).collect(Collectors.joining(", ")));
        }
        return topic.orElse(null);
    }

    private @Nullable String jobWord() {
        if (words.isEmpty() || (words.size() == 1 && Topic.of(words.get(0)).isPresent())) {
            return null;
        }
        return words.get(0);
    }

    /**
     * Returns the file of patterns that the command line names, or null. A job's name has precedence over a file of the
     * same name in the current directory.
     */
    private @Nullable Path savedFile() {
        final String word = jobWord();
        if (word == null || Files.notExists(Path.of(word)) || Files.isDirectory(Path.of(word))) {
            return null;
        }
        return word.contains("/") || !JobOptions.isJob(word) ? Path.of(word) : null;
    }

    private Report inspect(Path path, @Nullable Topic topic) {
        if (topic != null && topic != Topic.PATTERN) {
            throw new ParameterException(
                    spec.commandLine(),
                    path + " is a file of patterns: its only topic is pattern, not " + topic.word());
        }
        if (hex) {
            throw new ParameterException(spec.commandLine(), "--hex applies to memory only, " + path + " is a file");
        }
        final SavedFile file = SavedFile.read(path);
        if (!options.isMeant(file.rank())) {
            throw Selection.nothing(path + " has the patterns of rank " + file.rank() + ", which --rank excludes");
        }
        return new SavedView(path, file, new Selection(id, from, limit, false)).report();
    }

    private Report report(ObservedJob job, @Nullable Topic topic, Broken broken) {
        final Selection selection = new Selection(id, from, limit, hex);
        final Report report = new Report(SCHEMA, job.describe())
                .put("job", job.fullName())
                .put("ranks", job.size())
                .put("standing", job.standing())
                .put("layout", NodeLayout.VERSION)
                .put("topic", topic == null ? "all" : topic.word());
        checkJob(job, broken);
        if (topic == null) {
            checkAll(job, selection, broken, report);
        } else {
            final View view = topic.view(selection, broken);
            job.ranks().forEach(view::look);
            view.addTo(report);
        }
        report.add(broken.isEmpty() ? "" : "broken: " + Quantity.of(broken.count(), "invalid value"), broken.table());
        return report;
    }

    private static void checkAll(ObservedJob job, Selection selection, Broken broken, Report report) {
        final NodeView nodes = new NodeView(selection, broken);
        job.ranks().forEach(nodes::look);
        nodes.addNodes(report);
        for (final Topic topic : Topic.values()) {
            if (topic != Topic.NODE && topic != Topic.DESCRIPTOR) {
                job.ranks().forEach(topic.view(selection, broken)::look);
            }
        }
        if (broken.isEmpty()) {
            report.note("headers, FIFOs, lanes, descriptors, counters, regions, patterns, links and error logs: nothing"
                    + " broken");
        }
    }

    /** Checks that the nodes of one job agree on the job's id and size. */
    private static void checkJob(ObservedJob job, Broken broken) {
        job.missing().forEach(rank -> broken.add(rank, "file", "node-" + rank + " is missing"));
        final ObservedRank first = job.ranks().get(0);
        for (final ObservedRank rank : job.ranks()) {
            broken.unless(
                    rank.identity().jobHigh() == first.identity().jobHigh()
                            && rank.identity().jobLow() == first.identity().jobLow(),
                    rank.rank(),
                    "header",
                    "job id differs from that of rank " + first.rank());
            broken.unless(
                    rank.memory().layout().dimensions().size() == job.size(),
                    rank.rank(),
                    "header",
                    "job of " + rank.memory().layout().dimensions().size() + " ranks, expected " + job.size());
        }
    }
}
