package org.segno.pattern;

import java.util.SortedMap;
import org.segno.counter.GivenCounters;
import org.segno.memory.NameDirectory;
import org.segno.memory.WindowArena;

/**
 * What patterns of a client can name.
 *
 * @param client its name; empty for the node's own client
 * @param rank of its node
 * @param ranks of the job
 * @param windows its memory
 * @param counters those of its node
 * @param buffers by number of its contexts
 * @param peers what it knows of other ranks
 */
public record Holdings(
        String client,
        int rank,
        int ranks,
        WindowArena windows,
        GivenCounters counters,
        SortedMap<Integer, PatternBuffer> buffers,
        Peers peers) {

    /** What a client knows of other ranks. */
    public interface Peers {
        /** Waits until {@code rank} has published a counter as {@code name}, the client's name before it. */
        NameDirectory.Entry find(int rank, String name, long deadlineNs);

        /** Number within the client of a context of {@code rank}, by its number within the node; below zero if it is another client's. */
        int offset(int rank, int context);

        /** Waits until {@code rank} has the client, and answers the number within the node of its context {@code offset}. */
        int context(int rank, int offset, long deadlineNs);

        /** Checks that {@code rank} has a context of this number. */
        void requireContext(int rank, int context);
    }
}
