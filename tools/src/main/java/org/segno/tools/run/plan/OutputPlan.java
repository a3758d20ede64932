package org.segno.tools.run.plan;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The destinations of the ranks' output and the prefixes of its lines.
 *
 * @param tag true to prefix each line with rank and stream
 * @param timestamp true to prefix each line with the seconds since the job's start, before the tag
 * @param merge true to write standard error to the destination of standard output
 * @param directory the directory for one file per rank and stream, null for none
 * @param file the pattern of the file that takes both streams of a rank, null for none
 * @param copy true to copy the output in files to the launcher's own streams too
 */
public record OutputPlan(
        boolean tag,
        boolean timestamp,
        boolean merge,
        @Nullable Path directory,
        @Nullable String file,
        boolean copy) {
    /** A plan that passes every byte unchanged. */
    static final OutputPlan PLAIN = new OutputPlan(false, false, false, null, null, false);

    private static final String COPY = ":copy";

    /**
     * Parses the words of {@code --output}: {@code tag}, {@code timestamp}, {@code merge}, {@code dir=D[:copy]}, {@code
     * file=P[:copy]}.
     *
     * @throws IllegalArgumentException if a word is invalid; the message contains it and the valid ones.
     */
    public static OutputPlan of(List<String> words) {
        OutputPlan plan = PLAIN;
        for (final String word : words) {
            plan = plan.with(word.trim());
        }
        if (plan.directory != null && plan.file != null) {
            throw new IllegalArgumentException("--output takes dir= or file=, not both: " + String.join(",", words));
        }
        return plan;
    }

    private OutputPlan with(String word) {
        final int equals = word.indexOf('=');
        final String name = (equals < 0 ? word : word.substring(0, equals)).toLowerCase(Locale.ROOT);
        final boolean copied = copy || (equals >= 0 && word.endsWith(COPY));
        final String value =
                equals < 0 ? "" : word.substring(equals + 1, word.length() - (word.endsWith(COPY) ? COPY.length() : 0));
        final boolean valued = !value.isEmpty();
        if (equals < 0 && name.equals("tag")) {
            return withTag();
        }
        if (equals < 0 && name.equals("timestamp")) {
            return new OutputPlan(tag, true, merge, directory, file, copy);
        }
        if (equals < 0 && name.equals("merge")) {
            return new OutputPlan(tag, timestamp, true, directory, file, copy);
        }
        if (valued && name.equals("dir")) {
            return new OutputPlan(tag, timestamp, merge, Path.of(value).toAbsolutePath(), file, copied);
        }
        if (valued && name.equals("file")) {
            // An invalid pattern is reported now, not when the files are opened.
            final String example = new Names(0, 1, "host", "job").expand(value);
            assert !example.isEmpty();
            return new OutputPlan(tag, timestamp, merge, directory, value, copied);
        }
        throw new IllegalArgumentException(
                "--output takes tag, timestamp, merge, dir=D[:copy] and file=P[:copy]: '" + word + "'");
    }

    public OutputPlan withTag() {
        return new OutputPlan(true, timestamp, merge, directory, file, copy);
    }

    /** Returns whether the launcher must read the ranks' output, also that of a single rank. */
    boolean captured() {
        return tag || timestamp || hasFiles();
    }

    public boolean hasFiles() {
        return directory != null || file != null;
    }

    /** Returns whether the ranks' output is written to the launcher's own streams. */
    public boolean shown() {
        return copy || !hasFiles();
    }

    /** Returns the file for one stream of a rank. May be called only if {@link #hasFiles}. */
    public Path pathOf(boolean error, Names names) {
        final Path each = directory;
        if (each != null) {
            return each.resolve("rank-" + names.rank + (error && !merge ? ".err" : ".out"));
        }
        if (file == null) {
            throw new IllegalStateException("the plan has neither a directory nor a file for output: " + this);
        }
        return Path.of(names.expand(file)).toAbsolutePath();
    }

    /**
     * The values of the placeholders in the pattern of a file name, for one rank.
     *
     * @param rank the value of {@code %r} and, with leading zeros so that names sort, of {@code %R}
     * @param size the number of ranks of the job
     * @param host the value of {@code %h}
     * @param job the value of {@code %j}
     */
    public record Names(int rank, int size, String host, String job) {
        String expand(String pattern) {
            final StringBuilder name = new StringBuilder();
            for (int index = 0; index < pattern.length(); index++) {
                final char letter = pattern.charAt(index);
                if (letter != '%') {
                    name.append(letter);
                } else {
                    index++;
                    name.append(value(index < pattern.length() ? pattern.charAt(index) : ' ', pattern));
                }
            }
            return name.toString();
        }

        private String value(char letter, String pattern) {
            return switch (letter) {
                case 'r' -> String.valueOf(rank);
                case 'R' -> {
                    final String digits = String.valueOf(rank);
                    yield "0".repeat(String.valueOf(size - 1).length() - digits.length()) + digits;
                }
                case 'h' -> host;
                case 'j' -> job;
                case '%' -> "%";
                default ->
                    throw new IllegalArgumentException(
                            "--output file= accepts %r, %R, %h, %j and %% in its pattern: '" + pattern + "'");
            };
        }
    }
}
