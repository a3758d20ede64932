package org.segno.tools.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where the ranks' output goes and what is put in front of its lines.
 *
 * @param tag rank and stream in front of each line
 * @param timestamp seconds since the job's start in front of each line, before the tag
 * @param merge standard error goes where standard output goes
 * @param directory for one file per rank and stream, null for none
 * @param file pattern of the file that takes both streams of a rank, null for none
 * @param copy what goes into files goes to the launcher's own streams too
 */
record OutputPlan(
        boolean tag,
        boolean timestamp,
        boolean merge,
        @Nullable Path directory,
        @Nullable String file,
        boolean copy) {
    /** Every byte passes untouched: the ranks have the launcher's own streams. */
    static final OutputPlan PLAIN = new OutputPlan(false, false, false, null, null, false);

    private static final String COPY = ":copy";

    /**
     * Reads the words of {@code --output}: {@code tag}, {@code timestamp}, {@code merge}, {@code dir=D[:copy]}, {@code
     * file=P[:copy]}.
     *
     * @throws IllegalArgumentException when a word means nothing; names it and those that do.
     */
    static OutputPlan of(List<String> words) {
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
            // Found wrong now, not when the files are opened.
            final String example = new Names(0, 1, "host", "job").expand(value);
            assert !example.isEmpty();
            return new OutputPlan(tag, timestamp, merge, directory, value, copied);
        }
        throw new IllegalArgumentException(
                "--output takes tag, timestamp, merge, dir=D[:copy] and file=P[:copy]: '" + word + "'");
    }

    OutputPlan withTag() {
        return new OutputPlan(true, timestamp, merge, directory, file, copy);
    }

    /** True when the launcher must read what the ranks write; else they have its own streams. */
    boolean captured() {
        return tag || timestamp || hasFiles();
    }

    boolean hasFiles() {
        return directory != null || file != null;
    }

    /** True when the launcher's own streams get what the ranks write. */
    boolean shown() {
        return copy || !hasFiles();
    }

    /** The file for one stream of a rank; only where {@link #hasFiles}. */
    Path pathOf(boolean error, Names names) {
        final Path each = directory;
        if (each != null) {
            return each.resolve("rank-" + names.rank + (error && !merge ? ".err" : ".out"));
        }
        if (file == null) {
            throw new IllegalStateException("output goes to no file");
        }
        return Path.of(names.expand(file)).toAbsolutePath();
    }

    /**
     * What stands for a rank in the name of a file.
     *
     * @param rank {@code %r}, and with leading zeros, so that names sort, {@code %R}
     * @param size ranks of the job
     * @param host {@code %h}
     * @param job {@code %j}
     */
    record Names(int rank, int size, String host, String job) {
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
                            "--output file= knows %r, %R, %h, %j and %% in its pattern: '" + pattern + "'");
            };
        }
    }
}
