package org.segno.pattern;

import java.util.SortedMap;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.reuse.CounterTable;
import org.segno.engine.reuse.WindowArena;

/**
 * Objects of a client that its patterns can refer to.
 *
 * @param client its name; empty for the node's own client
 * @param rank rank of its node
 * @param ranks number of ranks in the job
 * @param windows its memory
 * @param counters the counters of its node
 * @param buffers pattern buffers by number of the client's contexts
 * @param peers its view of other ranks
 */
public record PatternResources(
        String client,
        int rank,
        int ranks,
        WindowArena windows,
        CounterTable counters,
        SortedMap<Integer, PatternBuffer> buffers,
        Peers peers) {

    /** A client's view of other ranks. */
    public interface Peers {
        /**
         * Waits until {@code rank} has published a counter as {@code name}, which includes the client's name as prefix.
         */
        NameDirectory.Entry find(int rank, String name, long deadlineNs);

        /**
         * Converts the id of a context of {@code rank} to its number within the client; returns a negative value if the
         * context belongs to another client.
         *
         * @throws IllegalStateException if the client of the context was closed
         */
        int offset(int rank, int context);

        /**
         * Waits until {@code rank} has opened the client, and returns the id of its context {@code offset}.
         */
        int context(int rank, int offset, long deadlineNs);

        /** Checks that {@code rank} has a context of this number, and returns its id in its present use. */
        int present(int rank, int number);
    }
}
