package org.segno.memory;

import java.util.StringJoiner;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.counter.RankSets;
import org.segno.engine.memory.PeerStates;

/**
 * Description of the missing bytes of a reception counter, for waiters after their deadline. It names the admitted
 * sources and their states as this node sees them. It does not name the bytes of each sender, because a counter counts
 * bytes and not senders.
 */
final class MissingBytes {
    /** Maximum number of ranks, or runs of ranks, that are listed individually. The rest is a number. */
    private static final int LISTED = 8;

    private static final String[] STATES = {
        "in the job", "gone, having left the job", "dead", "cut off by a failed link"
    };

    private MissingBytes() {}

    /** Describes the sources that a counter of rank {@code self} admits, with the {@code sets} of its node. */
    static String admitted(int sources, RankSets sets, int self, PeerStates peers) {
        if (sources == CounterSettings.NOBODY) {
            return "nobody, so that rank " + self + " alone can change it";
        }
        if (sources == self) {
            return "rank " + self + ", which is this rank itself";
        }
        if (sources >= 0) {
            return "rank " + sources + ", which is " + STATES[peers.stateAcquire(sources)];
        }
        if (RankSets.isSet(sources)) {
            return "a set of ranks" + (sets.contains(sources, self) ? " with rank " + self + " itself" : "") + ": "
                    + byState(sources, sets, self, peers);
        }
        if (peers.size() == 1) {
            return "everybody, and rank " + self + " is alone in the job";
        }
        return "everybody: " + byState(sources, sets, self, peers);
    }

    private static String byState(int sources, RankSets sets, int self, PeerStates peers) {
        final StringJoiner list = new StringJoiner(", ");
        for (int state = PeerStates.JOINED; state <= PeerStates.CUT; state++) {
            final Ranks ranks = new Ranks();
            for (int rank = 0; rank < peers.size(); rank++) {
                if (rank != self && sets.admits(sources, rank) && peers.stateAcquire(rank) == state) {
                    ranks.add(rank);
                }
            }
            if (ranks.count > 0) {
                list.add(ranks + " " + STATES[state]);
            }
        }
        return list.toString();
    }

    /** List of ranks in ascending order, with adjacent ranks joined. */
    private static final class Ranks {
        private final StringJoiner list = new StringJoiner(", ");
        private int runs;
        private int unlisted;
        private int first = -1;
        private int last = -1;
        private int count;

        void add(int rank) {
            count++;
            if (first >= 0 && rank == last + 1) {
                last = rank;
                return;
            }
            endRun();
            first = rank;
            last = rank;
        }

        private void endRun() {
            if (first < 0) {
                return;
            }
            if (runs == LISTED) {
                unlisted += last - first + 1;
                return;
            }
            runs++;
            list.add(first == last ? "" + first : first + (last == first + 1 ? ", " : " to ") + last);
        }

        @Override
        public String toString() {
            endRun();
            first = -1;
            return (count == 1 ? "rank " : "ranks ")
                    + list
                    + (unlisted == 0 ? "" : " and " + unlisted + " more")
                    + (count == 1 ? " is" : " are");
        }
    }
}
