package org.segno.saved;

import java.util.List;

/**
 * What a file of patterns says: the patterns, and what their descriptors name.
 *
 * @param client name of the client; empty for the node's own
 * @param rank whose patterns they are
 * @param ranks of its job
 * @param windows of its node that descriptors name
 * @param counters of its node that descriptors name
 * @param targets counters of peers that descriptors name
 * @param contexts that descriptors send to
 * @param patterns in the order of their contexts and ids
 */
record Saved(
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
     * @param id as descriptors call it
     * @param base offset in the arena
     * @param length bytes
     */
    record SavedWindow(int id, long base, long length) {}

    /**
     * A reception counter, one of a pair too.
     *
     * @param id as descriptors call it
     * @param incarnation which use of the id
     * @param base offset in the arena
     * @param length bytes
     * @param sources whom it admits
     */
    record SavedCounter(int id, int incarnation, long base, long length, int sources) {}

    /**
     * A counter of a peer, or a pair of them, as it was found there.
     *
     * @param rank the owner
     * @param counter id, of a pair the even one's
     * @param incarnation which use of the id
     * @param kind as in a directory of names
     * @param length bytes
     * @param name under which it was found
     */
    record SavedTarget(int rank, int counter, int incarnation, int kind, long length, String name) {}

    /**
     * A context that is sent to.
     *
     * @param rank whose it is
     * @param context number within its node
     * @param offset number within the client, below zero for one of another client
     */
    record SavedContext(int rank, int context, int offset) {}

    /** A pattern. No record, because of its words: they are given other names in place. */
    static final class SavedPattern {
        private final int context;
        private final int id;
        private final boolean alternate;
        private final int arms;
        private final long[] words;

        /**
         * Makes one.
         *
         * @param context number within the client
         * @param id of the pattern
         * @param alternate true for {@link org.segno.pattern.Rounds#ALTERNATE}
         * @param arms descriptors at the end that arm counters
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
