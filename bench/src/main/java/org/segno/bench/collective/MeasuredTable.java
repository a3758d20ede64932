package org.segno.bench.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The fastest algorithms of a run, as the text of an algorithm table. */
final class MeasuredTable {
    private final TreeMap<Key, Best> all = new TreeMap<>();

    private record Key(String kind, int members, long bytes) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            final int byKind = kind.compareTo(other.kind);
            final int byMembers = byKind == 0 ? Integer.compare(members, other.members) : byKind;
            return byMembers == 0 ? Long.compare(bytes, other.bytes) : byMembers;
        }
    }

    private record Best(String algorithm, double ns) {}

    /**
     * Adds a figure.
     *
     * @param fields name of the collective, bytes of a block, algorithm
     * @param ns its time
     */
    void add(int ranks, String[] fields, double ns) {
        final long bytes = Long.parseLong(fields[1]) * (fields[0].equals("all-to-all") ? ranks : 1);
        all.merge(
                new Key(fields[0], ranks, bytes),
                new Best(fields[2], ns),
                (one, other) -> one.ns <= other.ns ? one : other);
    }

    /** Returns the rows. The longest measured calls stand for all longer ones. */
    List<String> lines() {
        final List<String> lines = new ArrayList<>();
        lines.add("# collective, algorithm, at most so many members, at most so many bytes");
        all.forEach((key, best) -> {
            final Key next = all.higherKey(key);
            final boolean isLongest = next == null || !next.kind.equals(key.kind) || next.members != key.members;
            lines.add(key.kind + " " + best.algorithm + " " + key.members + " " + (isLongest ? "any" : key.bytes));
        });
        return lines;
    }
}
