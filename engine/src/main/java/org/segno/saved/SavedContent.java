package org.segno.saved;

import java.util.Arrays;
import java.util.List;
import org.segno.engine.counter.CounterRange;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.counter.RankSets;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;

/**
 * Content of a file of patterns: the patterns, and the objects that their descriptors refer to.
 *
 * @param client name of the client; empty for the node's own
 * @param rank owner of the patterns
 * @param ranks number of ranks in its job
 * @param windows windows of its node that descriptors refer to
 * @param counters counters of its node that descriptors refer to
 * @param targets counters of peers that descriptors refer to
 * @param contexts contexts that descriptors send to
 * @param patterns in the order of their contexts and ids
 */
record SavedContent(
        String client,
        int rank,
        int ranks,
        List<SavedWindow> windows,
        List<SavedCounter> counters,
        List<SavedTarget> targets,
        List<SavedContext> contexts,
        List<SavedPattern> patterns) {

    /**
     * A window.
     *
     * @param id as in descriptors
     * @param base offset in the arena
     * @param length bytes
     */
    record SavedWindow(int id, long base, long length) {}

    /**
     * A reception counter, which may be one of a pair.
     *
     * @param id as in descriptors
     * @param incarnation number of the use of the id
     * @param base offset in the arena, or {@link #OWN_BYTES}
     * @param length bytes
     * @param sources the rank that it admits, {@link CounterSettings#ANYBODY}, {@link CounterSettings#NOBODY}, or
     *     {@link #SET}
     * @param set the ranks that it admits in ascending order if {@code sources} is {@link #SET}; otherwise empty
     */
    record SavedCounter(int id, int incarnation, long base, long length, int sources, List<Integer> set) {
        /** Value of {@code sources} for a set of ranks. */
        static final int SET = -3;

        /** Value of {@code base} for bytes of the counter's own. Where they lie depends on the node's settings. */
        static final long OWN_BYTES = -1;

        /** Describes a counter of the node. */
        static SavedCounter of(ReceptionCounter counter) {
            final int sources = MemoryAccess.sources(counter);
            final boolean hasOwn = MemoryAccess.window(counter) == CounterRange.NO_WINDOW && counter.length() != 0;
            return new SavedCounter(
                    counter.id(),
                    counter.incarnation(),
                    hasOwn ? OWN_BYTES : MemoryAccess.base(counter),
                    counter.length(),
                    RankSets.isSet(sources) ? SET : sources,
                    Arrays.stream(MemoryAccess.sourceSet(counter)).boxed().toList());
        }

        /** Returns true if the two cover the same bytes for the same sources. */
        boolean isLike(SavedCounter other) {
            return base == other.base && length == other.length && sources == other.sources && set.equals(other.set);
        }

        /** Describes the covered bytes and the sources, for messages. */
        String covered() {
            return length + (base == OWN_BYTES ? " bytes of its own" : " bytes at offset " + base + " of the arena")
                    + " for sources " + (sources == SET ? set : sources);
        }
    }

    /**
     * A counter of a peer, or a pair of them, as found in its directory.
     *
     * @param rank the owner
     * @param counter id; for a pair, of its even counter
     * @param incarnation number of the use of the id
     * @param kind as in a directory of names
     * @param length bytes
     * @param name under which it was found
     */
    record SavedTarget(int rank, int counter, int incarnation, int kind, long length, String name) {}

    /**
     * A context that descriptors send to.
     *
     * @param rank owner of the context
     * @param context number within its node
     * @param offset number within the client; negative if it belongs to another client
     */
    record SavedContext(int rank, int context, int offset) {}

    /** A pattern. Not a record, because its words are translated in place. */
    static final class SavedPattern {
        private final int context;
        private final int id;
        private final boolean alternate;
        private final int arms;
        private final long[] words;

        /**
         * Creates a pattern.
         *
         * @param context number within the client
         * @param id of the pattern
         * @param alternate true for {@link org.segno.pattern.Rounds#ALTERNATE}
         * @param arms number of descriptors at the end that arm counters
         * @param words of all descriptors, not copied
         */
        SavedPattern(int context, int id, boolean alternate, int arms, long[] words) {
            this.context = context;
            this.id = id;
            this.alternate = alternate;
            this.arms = arms;
            this.words = words;
        }

        int context() {
            return context;
        }

        int id() {
            return id;
        }

        boolean alternate() {
            return alternate;
        }

        int arms() {
            return arms;
        }

        long[] words() {
            return words;
        }
    }
}
