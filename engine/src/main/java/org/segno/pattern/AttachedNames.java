package org.segno.pattern;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NameDirectory;

/**
 * The names under which a context has found its peers' counters. The counter ids in descriptors are valid in one job
 * only, whereas a name is also valid in the next one. Used by the one thread that holds the context.
 */
public final class AttachedNames {
    private final Map<Long, AttachedName> found = new HashMap<>();

    /**
     * A counter of a peer, or a pair of them.
     *
     * @param rank the owner
     * @param name as stored in the owner's directory
     * @param entry the directory entry at the time of the search
     */
    public record AttachedName(int rank, String name, NameDirectory.Entry entry) {
        private boolean has(int counter, int incarnation) {
            final int last = entry.id() + (entry.kind() == NameDirectory.PAIR ? 1 : 0);
            return counter >= entry.id() && counter <= last && incarnation == entry.incarnation();
        }
    }

    /** Adds a name. For several uses of one id, the last one found is kept. */
    public void add(int rank, String name, NameDirectory.Entry entry) {
        found.put(key(rank, entry.id()), new AttachedName(rank, name, entry));
    }

    /**
     * Returns the name of a counter, which may be one of a pair. Returns null if the counter was not found by name, or
     * its id was since found in another use.
     */
    public @Nullable AttachedName find(int rank, int counter, int incarnation) {
        final AttachedName single = found.get(key(rank, counter));
        if (single != null && single.has(counter, incarnation)) {
            return single;
        }
        final AttachedName pair = found.get(key(rank, counter - 1));
        return pair != null && pair.has(counter, incarnation) ? pair : null;
    }

    /** Forgets all names. */
    void clear() {
        found.clear();
    }

    private static long key(int rank, int counter) {
        return ((long) rank << Integer.SIZE) | (counter & 0xFFFF_FFFFL);
    }
}
