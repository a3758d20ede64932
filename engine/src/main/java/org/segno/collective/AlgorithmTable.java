package org.segno.collective;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Table that selects the algorithms of calls without a named one. All members of a geometry use equal tables.
 * Immutable.
 *
 * <p>A row matches a call of its kind if the call does not exceed its limits and its algorithm can carry out the call.
 * The first matching row applies. Every table ends with the rows of {@link #defaults}.
 *
 * <p>In a text, a row is a line of four words: kind, algorithm, limit of members, limit of bytes. A limit may be
 * {@code any}. Empty lines, and lines that begin with #, are ignored.
 */
public final class AlgorithmTable {
    private static final String ANY = "any";
    private static final int COLUMNS = 4;
    private static final AlgorithmTable DEFAULTS = new AlgorithmTable(null);

    /** Rows of this table; null for those of the library. */
    private final @Nullable List<Row> rows;

    private AlgorithmTable(@Nullable List<Row> rows) {
        this.rows = rows;
    }

    /**
     * A row of the table.
     *
     * @param kind of the collective
     * @param algorithm its name
     * @param description of the algorithm
     * @param members limit of the number of members; 0 for an algorithm that only {@link Call#by} selects
     * @param bytes limit of the length of one block, or of all blocks of a divided collective together
     */
    public record Row(CollectiveKind kind, String algorithm, String description, int members, long bytes) {}

    /** Rows of the library. They need the classes of all algorithms, which the creation of a geometry does not load. */
    private static final class Defaults {
        static final List<Row> ROWS = List.of(
                row(CollectiveKind.BARRIER, "hosts", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.BARRIER, "counters", 8, Long.MAX_VALUE),
                row(CollectiveKind.BARRIER, "dissemination", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.BROADCAST, "hosts", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.BROADCAST, "star", 2, 2 << 10),
                row(CollectiveKind.BROADCAST, "pull", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.BROADCAST, "star", 16, 128 << 10),
                row(CollectiveKind.BROADCAST, "binomial", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.BROADCAST, "line", 0, 0),
                row(CollectiveKind.BROADCAST, "k-nomial", 0, 0),
                row(CollectiveKind.REDUCE, "tree", Integer.MAX_VALUE, 1 << 10),
                row(CollectiveKind.REDUCE, "pull", 64, Long.MAX_VALUE),
                row(CollectiveKind.REDUCE, "tree", Integer.MAX_VALUE, 16 << 10),
                row(CollectiveKind.REDUCE, "divided", 64, Long.MAX_VALUE),
                row(CollectiveKind.REDUCE, "tree", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.ALLREDUCE, "hosts", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.ALLREDUCE, "slots", 8, 1 << 10),
                row(CollectiveKind.ALLREDUCE, "recursive-doubling", Integer.MAX_VALUE, 1 << 10),
                row(CollectiveKind.ALLREDUCE, "pull", 64, Long.MAX_VALUE),
                row(CollectiveKind.ALLREDUCE, "divided", 64, Long.MAX_VALUE),
                row(CollectiveKind.ALLREDUCE, "recursive-doubling", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.ALLREDUCE, "recursive-halving", 0, 0),
                row(CollectiveKind.ALLREDUCE, "ring", 0, 0),
                row(CollectiveKind.ALLREDUCE, "rows-and-columns", 0, 0),
                row(CollectiveKind.REDUCE_SCATTER, "divided", Integer.MAX_VALUE, 4 << 10),
                row(CollectiveKind.REDUCE_SCATTER, "pull", 64, Long.MAX_VALUE),
                row(CollectiveKind.REDUCE_SCATTER, "divided", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.REDUCE_SCATTER, "recursive-halving", 0, 0),
                row(CollectiveKind.REDUCE_SCATTER, "ring", 0, 0),
                row(CollectiveKind.SCAN, "doubling", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.EXCLUSIVE_SCAN, "doubling", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.GATHER, "direct", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.SCATTER, "direct", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.ALLGATHER, "slots", Integer.MAX_VALUE, 1 << 10),
                row(CollectiveKind.ALLGATHER, "direct", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.ALLGATHER, "ring", 0, 0),
                row(CollectiveKind.ALLGATHER, "bruck", 0, 0),
                row(CollectiveKind.ALL_TO_ALL, "slots", Integer.MAX_VALUE, 1 << 10),
                row(CollectiveKind.ALL_TO_ALL, "direct", Integer.MAX_VALUE, Long.MAX_VALUE),
                row(CollectiveKind.ALL_TO_ALL, "pairwise", 0, 0),
                row(CollectiveKind.ALL_TO_ALL, "bruck", 0, 0));

        private Defaults() {}
    }

    private static Row row(CollectiveKind kind, String algorithm, int members, long bytes) {
        return new Row(kind, algorithm, Algorithms.named(kind, algorithm).description(), members, bytes);
    }

    /** Returns the table of the library, which was measured on 2 and on 16 cores. */
    public static AlgorithmTable defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the table of a text. {@code bench collectives --algorithms FILE} writes such a text. The rows of the text
     * precede the default rows.
     *
     * @throws IllegalArgumentException if a line is not a valid row; the message contains its number
     */
    public static AlgorithmTable of(List<String> lines) {
        final List<Row> rows = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            final String line = lines.get(i).strip();
            if (!line.isEmpty() && line.charAt(0) != '#') {
                try {
                    rows.add(row(line));
                } catch (final IllegalArgumentException e) {
                    throw new IllegalArgumentException(
                            "line " + (i + 1) + " of the table, \"" + line + "\": " + e.getMessage(), e);
                }
            }
        }
        rows.addAll(Defaults.ROWS);
        return new AlgorithmTable(List.copyOf(rows));
    }

    /**
     * Returns the table of the text in a file, as {@link #of(List)}.
     *
     * @throws IllegalArgumentException if it cannot be read, or a line is not a valid row; the message has the path and
     *     the number of the line
     */
    public static AlgorithmTable read(Path file) {
        try {
            return of(Files.readAllLines(file));
        } catch (final IOException e) {
            throw new IllegalArgumentException("the table of algorithms cannot be read: file=" + file + ": " + e, e);
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException("file=" + file + ": " + e.getMessage(), e);
        }
    }

    /** Returns the table of a file as {@link #read}; without a file that of the library. */
    static AlgorithmTable ofSetting(@Nullable Path file) {
        return file == null ? DEFAULTS : read(file);
    }

    private static Row row(String line) {
        final String[] words = line.split("\\s+", -1);
        if (words.length != COLUMNS) {
            throw new IllegalArgumentException("a row has a kind, an algorithm, members and bytes");
        }
        final CollectiveKind kind = CollectiveKind.named(words[0]);
        final long members = limit(words[2]);
        return row(kind, words[1], (int) Math.min(Integer.MAX_VALUE, members), limit(words[3]));
    }

    private static long limit(String word) {
        if (word.toLowerCase(Locale.ROOT).equals(ANY)) {
            return Long.MAX_VALUE;
        }
        try {
            return Long.parseLong(word);
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException("a limit is a number or \"any\", not \"" + word + "\"", e);
        }
    }

    /** Returns the rows, in the order in which they apply. */
    public List<Row> rows() {
        return rows == null ? Defaults.ROWS : rows;
    }

    /**
     * Returns the algorithm of a name, or the one of the table if the name is empty.
     *
     * @throws IllegalArgumentException if it cannot carry out the shape; the message lists those that can
     */
    Algorithm algorithm(String name, Shape shape) {
        final Algorithm found = name.isEmpty() ? selected(shape) : Algorithms.named(shape.kind(), name);
        if (found != null && found.isValid(shape)) {
            return found;
        }
        throw new IllegalArgumentException("\"" + name + "\" cannot carry out this " + shape.kind() + " of "
                + shape.total() + " bytes among " + shape.members() + " members"
                + (shape.isOrdered() ? ", whose operator is not registered here or not commutative" : "")
                + ": choose one of "
                + valid(shape));
    }

    private @Nullable Algorithm selected(Shape shape) {
        for (final Row row : rows()) {
            if (row.kind == shape.kind() && shape.members() <= row.members && shape.moved() <= row.bytes) {
                final Algorithm algorithm = Algorithms.named(row.kind, row.algorithm);
                if (algorithm.isValid(shape)) {
                    return algorithm;
                }
            }
        }
        return null;
    }

    /** Returns the names of the algorithms that can carry out a shape, the selected one first. */
    List<String> names(Shape shape) {
        final List<String> names = new ArrayList<>();
        names.add(algorithm("", shape).name());
        for (final String name : valid(shape)) {
            if (!names.contains(name)) {
                names.add(name);
            }
        }
        return names;
    }

    /** Returns the rows that may select an algorithm among as many members, and those of algorithms by name alone. */
    List<Row> rows(Shape shape) {
        final List<Row> selecting = new ArrayList<>();
        final List<String> valid = valid(shape);
        for (final Row row : rows()) {
            if (row.kind == shape.kind() && shape.members() <= row.members && valid.contains(row.algorithm)) {
                selecting.add(row);
            }
        }
        for (final String name : valid) {
            if (selecting.stream().noneMatch(row -> row.algorithm.equals(name))) {
                selecting.add(row(shape.kind(), name, 0, 0));
            }
        }
        return selecting;
    }

    private static List<String> valid(Shape shape) {
        return Algorithms.of(shape.kind()).stream()
                .filter(algorithm -> algorithm.isValid(shape))
                .map(Algorithm::name)
                .toList();
    }
}
