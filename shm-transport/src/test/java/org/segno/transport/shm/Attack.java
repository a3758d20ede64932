package org.segno.transport.shm;

import java.util.List;
import org.segno.node.NodeConfig.Threading;

/**
 * Random words in one area of the files of a job.
 *
 * @param area part of the files that is written to, as {@link ForeignWriter#areas} names it
 * @param seed of the words and of the steps of the ranks; also selects the threading of the engines
 */
record Attack(String area, long seed) {
    private static final List<List<Threading>> PAIRS = List.of(
            List.of(Threading.INVOKER, Threading.INVOKER),
            List.of(Threading.DEDICATED, Threading.DEDICATED),
            List.of(Threading.INVOKER, Threading.DEDICATED),
            List.of(Threading.INVOKER, Threading.INVOKER));

    /** Consecutive seeds that cover each pair of threadings. */
    static final int THREADINGS = PAIRS.size();

    Threading threading(int rank) {
        return PAIRS.get((int) (seed % THREADINGS)).get(rank);
    }

    @Override
    public String toString() {
        return "-Dsegno.attack.area=" + area + " -Dsegno.attack.seed=" + seed;
    }
}
