package org.segno.tools.inspect.record;

import java.util.LinkedHashSet;
import java.util.Set;
import org.segno.tools.output.Table;

/** What was found that cannot be: line by line. */
public final class Broken {
    private final Table table = Table.of("broken", "rank", "where", "what");
    private final Set<Line> lines = new LinkedHashSet<>();

    /** Nothing yet. */
    public Broken() {}

    private record Line(int rank, String where, String what) {}

    /** Notes one thing. */
    public void add(int rank, String where, String what) {
        // Several topics look at the same record.
        if (lines.add(new Line(rank, where, what))) {
            table.row(rank, where, what);
        }
    }

    /** Notes it unless {@code holds}. */
    public void unless(boolean holds, int rank, String where, String what) {
        if (!holds) {
            add(rank, where, what);
        }
    }

    /** Notes all that another has noted. */
    public void addAll(Broken other) {
        other.lines.forEach(line -> add(line.rank(), line.where(), line.what()));
    }

    /** True if nothing was found. */
    public boolean isEmpty() {
        return table.size() == 0;
    }

    /** How many things. */
    public int count() {
        return table.size();
    }

    /** A line for each. */
    public Table table() {
        return table;
    }
}
