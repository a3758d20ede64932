package org.segno.tools.journal.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.PatternSections.Section;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Program;
import org.segno.tools.run.RunOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code segno journal replay}: runs the traffic of a journal again, as a job of as many ranks. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description = {
            "Run the traffic of a journal again, as a job of as many ranks.",
            "Each operation is repeated with its kind, target, length and payload, each",
            "pattern by replays. Then each pattern is measured: a replayed round, and the same",
            "operations injected one by one."
        },
        footer = {
            "",
            "Payloads that the journal does not have (see --record-payload) are made from the",
            "rank and the position of each byte. ARM, WAIT and COMBINE depend on counters and",
            "data of the recorded program: they are omitted and counted. Messages go to context 0",
            "of their rank, a PUT with a notification is a PUT, and an RMW adds 0.",
            "Exit code: 0; 1 when the journal is damaged, or with --verify something else was",
            "received than was sent; 3 for a journal of another version or byte order; 4",
            "without one, or without the pattern that --pattern names."
        })
final class ReplayCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "directory of the journal, the same for all hosts")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Path directory;

    @Option(
            names = {"-n", "-np", "--np"},
            paramLabel = "N",
            description = "ranks, as many as the journal has; the default")
    private @Nullable Integer rankCount;

    @Option(
            names = "--speed",
            paramLabel = "S",
            defaultValue = "1x",
            description = "1x: at the times of the journal; Nx: N times as fast; max; default ${DEFAULT-VALUE}")
    private String speed = "1x";

    @Option(
            names = "--pattern",
            paramLabel = "ID",
            converter = PatternName.class,
            description = "repeat the replayed rounds of this pattern alone")
    private @Nullable String pattern;

    @Option(
            names = "--times",
            paramLabel = "N",
            defaultValue = "200",
            description = "measured rounds of each pattern; 0 measures none; default ${DEFAULT-VALUE}")
    private int times;

    @Option(names = "--verify", description = "compare what each rank receives with what the journal has")
    private boolean verify;

    @Mixin
    private final RunOptions runOptions = new RunOptions();

    ReplayCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        final double factor = factor();
        if (times < 0) {
            throw new ParameterException(spec.commandLine(), "--times must be 0 or more: " + times);
        }
        final int size;
        final int damage;
        try (Journal journal = JournalFile.open(directory, rank -> true)) {
            if (!journal.isWhole()) {
                throw new CommandException(
                        ExitCode.NOT_FIT,
                        "the journal has " + journal.ranks().size() + " of " + journal.size()
                                + " ranks: replay needs all of them in " + directory);
            }
            size = journal.size();
            requirePattern(journal);
            damage = JournalFile.reportDamage(journal, Console.of(spec));
        }
        if (rankCount != null && rankCount != size) {
            throw new ParameterException(
                    spec.commandLine(), "-n must be the number of ranks of the journal, " + size + ": " + rankCount);
        }
        final List<String> arguments = new ArrayList<>(List.of(
                directory.toAbsolutePath().toString(), "--speed", Double.toString(factor), "--times", "" + times));
        if (pattern != null) {
            arguments.addAll(List.of("--pattern", pattern));
        }
        if (verify) {
            arguments.add("--verify");
        }
        final int exitCode = runOptions.launchJoining(
                size,
                Program.main(ClassPath.ofSegno(), ReplayRank.class.getName(), arguments)
                        .named("replay"));
        return exitCode == ExitCode.DONE ? damage : exitCode;
    }

    /** Reads a journal to its end, and requires that it has the pattern that is named. */
    private void requirePattern(Journal journal) {
        boolean isThere = pattern == null;
        for (JournalRecord record = JournalFile.next(journal); record != null; record = JournalFile.next(journal)) {
            final Section section = record.section();
            isThere |= section != null && section.name().equals(pattern);
        }
        if (!isThere) {
            throw new CommandException(
                    ExitCode.NOTHING_THERE,
                    "no pattern " + pattern + " was replayed in " + directory + ": 'segno journal stat " + directory
                            + " --by pattern' lists them");
        }
    }

    /** Returns how many times as fast as the journal; zero for as fast as possible. */
    private double factor() {
        final String text = speed.trim().toLowerCase(Locale.ROOT);
        if (text.equals("max")) {
            return 0;
        }
        try {
            final double factor = Double.parseDouble(text.endsWith("x") ? text.substring(0, text.length() - 1) : "-");
            if (factor > 0 && factor < Double.POSITIVE_INFINITY) {
                return factor;
            }
        } catch (final NumberFormatException ignored) {
            // Reported below.
        }
        throw new ParameterException(spec.commandLine(), "--speed must be max or a number and x, as 10x: " + speed);
    }
}
