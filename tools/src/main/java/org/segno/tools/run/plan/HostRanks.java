package org.segno.tools.run.plan;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The ranks of a job that run on one host.
 *
 * @param name the name of the host as the user wrote it
 * @param shellName the name of the host as a remote shell reads it
 * @param isThisHost true if the launcher starts the ranks without a remote shell
 * @param ranks the ranks in ascending order
 */
public record HostRanks(String name, String shellName, boolean isThisHost, List<Integer> ranks) {
    /** Copies the ranks. */
    public HostRanks {
        ranks = List.copyOf(ranks);
    }

    /** Returns the ranks from 0 to {@code rankCount - 1}, on this host. */
    static HostRanks all(int rankCount) {
        return new HostRanks(
                "this host",
                "localhost",
                true,
                IntStream.range(0, rankCount).boxed().toList());
    }

    /** Returns a rank's number among the ranks of its host. */
    public int localRank(int rank) {
        return ranks.indexOf(rank);
    }

    /** Returns the number of ranks. */
    public int size() {
        return ranks.size();
    }
}
