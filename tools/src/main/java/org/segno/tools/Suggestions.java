package org.segno.tools;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.segno.engine.job.Spelling;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Suggestions for options and commands that do not exist: the nearest name, if it is near, and all commands. */
final class Suggestions {
    private Suggestions() {}

    /** Returns the option or command that the first unknown word of a command line is near to. */
    static Optional<String> of(ParameterException problem) {
        if (!(problem instanceof UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return Optional.empty();
        }
        final String word = unmatched.getUnmatched().get(0);
        final CommandSpec command = problem.getCommandLine().getCommandSpec();
        return word.startsWith("-")
                ? option(word, command.options())
                : Spelling.nearest(word, command.subcommands().keySet())
                        .map(name -> command.qualifiedName() + " " + name);
    }

    /** Returns the commands of a command that is followed by another word, as text. */
    static Optional<String> commands(ParameterException problem) {
        final CommandSpec command = problem.getCommandLine().getCommandSpec();
        return problem instanceof UnmatchedArgumentException unmatched
                        && !unmatched.getUnmatched().isEmpty()
                        && !unmatched.getUnmatched().get(0).startsWith("-")
                        && command.parent() != null
                        && !command.subcommands().isEmpty()
                ? Optional.of("the commands of " + command.qualifiedName() + " are "
                        + String.join(", ", command.subcommands().keySet()))
                : Optional.empty();
    }

    /** Compares names without their hyphens: with them, each option of one letter would be near to all others. */
    private static Optional<String> option(String word, Collection<OptionSpec> options) {
        final String plain = word.replaceFirst("^-+", "").replaceFirst("=.*", "");
        final List<String> names = options.stream()
                .flatMap(option -> List.of(option.names()).stream())
                .toList();
        return Spelling.nearest(
                        plain,
                        names.stream().map(name -> name.replaceFirst("^-+", "")).toList())
                .flatMap(near -> names.stream()
                        .filter(name -> name.replaceFirst("^-+", "").equals(near))
                        .max((a, b) -> Integer.compare(a.length(), b.length())));
    }
}
