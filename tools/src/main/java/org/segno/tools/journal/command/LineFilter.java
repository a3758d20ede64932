package org.segno.tools.journal.command;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.DurationConverter;
import org.segno.tools.command.ExitCode;
import org.segno.tools.observe.PatternConverter;
import org.segno.tools.observe.RankSet;
import picocli.CommandLine.Option;

/** Options that select lines of a journal. */
final class LineFilter {
    @Option(
            names = "--rank",
            paramLabel = "L",
            converter = RankSet.Converter.class,
            description = "ranks whose journals are read: 0,2-5; ^1 is all others")
    private RankSet ranks = RankSet.all();

    @Option(
            names = "--kind",
            paramLabel = "K",
            split = ",",
            description = "operations and kinds of records, separated by commas: put,send,round; ^wait is all others")
    private List<String> kinds = List.of();

    @Option(
            names = "--peer",
            paramLabel = "L",
            converter = RankSet.Converter.class,
            description = "target ranks, as --rank")
    private @Nullable RankSet peers;

    @Option(
            names = "--pattern",
            paramLabel = "ID",
            split = ",",
            converter = PatternName.class,
            description = "patterns, separated by commas: ids, or @context.index of prepared ones")
    private List<String> patterns = List.of();

    /** Patterns that are named by the option, and were in no line so far. */
    private final Set<String> unseen = new LinkedHashSet<>();

    @Option(
            names = "--since",
            paramLabel = "T",
            converter = DurationConverter.class,
            description = "time after the start of the journal from which on lines are read, as 2ms")
    private @Nullable Duration since;

    @Option(
            names = "--until",
            paramLabel = "T",
            converter = DurationConverter.class,
            description = "time after the start of the journal before which lines are read")
    private @Nullable Duration until;

    @Option(
            names = "--match",
            paramLabel = "REGEX",
            converter = PatternConverter.class,
            description = "lines in which the expression is found, as their cells joined by spaces")
    private @Nullable Pattern match;

    /** Creates the options. Called by picocli. */
    LineFilter() {}

    /** Returns the ranks whose journals are read. */
    RankSet ranks() {
        return ranks;
    }

    /** Returns the first name of {@code --kind} that is no kind of a line; null if there is none. */
    @Nullable
    String unknownKind() {
        return kinds.stream()
                .filter(kind -> !JournalLine.KINDS.contains(
                        kind.replaceFirst("^\\^", "").toUpperCase(Locale.ROOT)))
                .findFirst()
                .orElse(null);
    }

    /**
     * Requires that every pattern which the options name was in one of the lines that the filter has seen.
     *
     * @throws CommandException if one was in none
     */
    void requirePatterns(Path journal) {
        if (!unseen.isEmpty()) {
            throw new CommandException(
                    ExitCode.NOTHING_THERE,
                    "no pattern " + String.join(", ", unseen) + " in " + journal + ": 'segno journal stat " + journal
                            + " --by pattern' lists them");
        }
    }

    /** Returns the filter of a journal that starts at {@code startNs}. */
    Predicate<JournalLine> of(long startNs) {
        final Duration first = since;
        final Duration end = until;
        final RankSet targets = peers;
        final Pattern expression = match;
        final List<String> names =
                kinds.stream().map(kind -> kind.toUpperCase(Locale.ROOT)).toList();
        final boolean excludesOnly = names.stream().allMatch(name -> name.startsWith("^"));
        unseen.addAll(patterns);
        return line -> isOfPattern(line)
                && (names.isEmpty()
                        || ((excludesOnly || names.contains(line.kind())) && !names.contains("^" + line.kind())))
                && (targets == null || line.peers().stream().anyMatch(targets))
                && (first == null || line.timeNs() - startNs >= first.toNanos())
                && (end == null || line.timeNs() - startNs < end.toNanos())
                && (expression == null
                        || expression.matcher(text(line, startNs)).find());
    }

    private boolean isOfPattern(JournalLine line) {
        unseen.remove(line.pattern());
        return patterns.isEmpty() || patterns.contains(line.pattern());
    }

    private static String text(JournalLine line, long startNs) {
        return String.join(
                " ", Arrays.stream(line.cells(startNs)).map(String::valueOf).toList());
    }
}
