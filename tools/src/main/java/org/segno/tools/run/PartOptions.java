package org.segno.tools.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.tools.run.plan.JobPart;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The options of a further part of a job, after {@code :}. */
@Command(name = "run")
final class PartOptions {
    @Option(names = {"-n", "-np", "--np"})
    private @Nullable Integer rankCount;

    @Option(names = "-cp")
    private @Nullable String classPath;

    @Option(names = "--wdir")
    private @Nullable Path directory;

    @Option(names = "-x")
    private List<String> exports = List.of();

    @Parameters
    private List<String> words = List.of();

    private PartOptions() {}

    /**
     * Parses the words of a part.
     *
     * @param all the words of this part and of all parts after it
     * @param first the job's first part, whose directory and variables are the default
     * @throws IllegalArgumentException if the words are invalid; the message contains the reason.
     */
    static JobPart read(List<String> all, JobPart first, Map<String, String> environment) {
        final PartOptions options = new PartOptions();
        final CommandLine commandLine =
                new CommandLine(options).setStopAtPositional(true).setExpandAtFiles(false);
        try {
            commandLine.parseArgs(all.toArray(String[]::new));
        } catch (final ParameterException e) {
            throw new IllegalArgumentException(
                    "after ':' a part takes -n, -cp, --wdir and -x; put all other options before the first PROGRAM: "
                            + e.getMessage(),
                    e);
        }
        final Integer count = options.rankCount;
        if (count == null) {
            throw new IllegalArgumentException("give each part its -n: : " + String.join(" ", all));
        }
        final Path directory = options.directory == null ? first.directory() : options.directory;
        final Map<String, String> variables =
                options.exports.isEmpty() ? first.variables() : Exports.variables(options.exports, environment);
        return new JobPart(
                count,
                ProgramWords.of(options.classPath, all, options.words)
                        .program(directory.toAbsolutePath().normalize()),
                directory,
                variables);
    }
}
