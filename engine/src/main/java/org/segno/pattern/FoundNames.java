package org.segno.pattern;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.memory.NameDirectory;

/**
 * Under which names a context has found its peers' counters: what descriptors say of them is good in one job alone, a name in the
 * next one too. One thread, the one that holds the context.
 */
public final class FoundNames {
    private final Map<Long, Found> found = new HashMap<>();

    /**
     * A counter, or a pair of them, of a peer.
     *
     * @param rank the owner
     * @param name as it stands in the owner's directory
     * @param entry what it stood for when it was found
     */
    public record Found(int rank, String name, NameDirectory.Entry entry) {
        private boolean has(int counter, int incarnation) {
            final int last = entry.id() + (entry.kind() == NameDirectory.PAIR ? 1 : 0);
            return counter >= entry.id() && counter <= last && incarnation == entry.incarnation();
        }
    }

    /** Takes note; of one id the use that was found last. */
    public void add(int rank, String name, NameDirectory.Entry entry) {
        found.put(key(rank, entry.id()), new Found(rank, name, entry));
    }

    /** What a counter, one of a pair too, was found as; null if it was not found, or another use of its id was since. */
    public @Nullable Found find(int rank, int counter, int incarnation) {
        final Found single = found.get(key(rank, counter));
        if (single != null && single.has(counter, incarnation)) {
            return single;
        }
        final Found pair = found.get(key(rank, counter - 1));
        return pair != null && pair.has(counter, incarnation) ? pair : null;
    }

    private static long key(int rank, int counter) {
        return ((long) rank << Integer.SIZE) | (counter & 0xFFFF_FFFFL);
    }
}
