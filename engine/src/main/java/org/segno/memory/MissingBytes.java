package org.segno.memory;

import java.util.StringJoiner;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.memory.PeerStates;

/**
 * Description of the missing bytes of a reception counter, for waiters after their deadline. It names the admitted
 * sources and their states as this node sees them. It does not name the bytes of each sender, because a counter counts
 * bytes and not senders.
 */
final class MissingBytes {
    /** Maximum number of ranks, or runs of ranks, that are listed individually. The rest is a number. */
    private static final int LISTED = 8;

    private static final String[] STATES = {"in the job", "gone, having left the job", "dead"};

    private MissingBytes() {}

    /** Describes the shortage of {@code counter}, which misses {@code bytes}. */
    static String describe(ReceptionCounter counter, long bytes, PeerStates peers) {
        return "which misses " + bytes + " bytes; it admits " + admitted(counter.sources(), counter.rank(), peers);
    }

    /** Describes the sources that a counter of rank {@code self} admits. */
    static String admitted(int sources, int self, PeerStates peers) {
        if (sources == CounterSettings.NOBODY) {
            return "nobody, so that rank " + self + " alone can change it";
        }
        if (sources == self) {
            return "rank " + self + ", which is this rank itself";
        }
        if (sources >= 0) {
            return "rank " + sources + ", which is " + STATES[peers.stateAcquire(sources)];
        }
        if (peers.size() == 1) {
            return "everybody, and rank " + self + " is alone in the job";
        }
        final StringJoiner list = new StringJoiner(", ", "everybody: ", "");
        for (int state = PeerStates.JOINED; state <= PeerStates.DEAD; state++) {
            final Ranks ranks = new Ranks();
            for (int rank = 0; rank < peers.size(); rank++) {
                if (rank != self && peers.stateAcquire(rank) == state) {
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
