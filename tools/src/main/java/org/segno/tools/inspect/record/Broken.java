package org.segno.tools.inspect.record;

import java.util.LinkedHashSet;
import java.util.Set;
import org.segno.tools.output.Table;

/** Invalid values that were found, one line each. */
public final class Broken {
    private final Table table = Table.of("broken", "rank", "where", "what");
    private final Set<Line> lines = new LinkedHashSet<>();

    /** Creates an empty list. */
    public Broken() {}

    private record Line(int rank, String where, String what) {}

    /** Adds one invalid value. */
    public void add(int rank, String where, String what) {
        // Several topics check the same record.
        if (lines.add(new Line(rank, where, what))) {
            table.row(rank, where, what);
        }
    }

    /** Adds an invalid value unless {@code holds}. */
    public void unless(boolean holds, int rank, String where, String what) {
        if (!holds) {
            add(rank, where, what);
        }
    }

    /** Adds all lines of another list. */
    public void addAll(Broken other) {
        other.lines.forEach(line -> add(line.rank(), line.where(), line.what()));
    }

    /** Returns true if nothing was found. */
    public boolean isEmpty() {
        return table.size() == 0;
    }

    /** Returns the number of lines. */
    public int count() {
        return table.size();
    }

    /** Returns a row for each line. */
    public Table table() {
        return table;
    }
}
