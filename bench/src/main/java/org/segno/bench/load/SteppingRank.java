package org.segno.bench.load;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;

/**
 * Main class of the stepping processes. A step is a barrier. Rank 0 counts its steps for the given time and leaves,
 * which ends the last barrier of the others.
 */
final class SteppingRank {
    private static final int PATIENCE_S = 60;
    private static final double WARM_UP = 0.25;
    private static final int MOST_STEPS = 1 << 24;
    private static final double PER_MILLE = 1000;

    private SteppingRank() {}

    /** Runs one rank with the job's name, the own rank, the size and the seconds to count as arguments. */
    public static void main(String[] arguments) {
        final JobConfig job =
                JobConfig.of(arguments[0], Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        final double seconds = Double.parseDouble(arguments[3]);
        try (Node node = Node.join(job, NodeConfig.defaults())) {
            final Context context = node.client().context();
            if (job.rank() == 0) {
                steps(context, WARM_UP * seconds, new int[MOST_STEPS]);
                final int[] ns = new int[MOST_STEPS];
                final long beginNs = System.nanoTime();
                final int count = steps(context, seconds, ns);
                print(node.threading(), count, System.nanoTime() - beginNs, Arrays.copyOf(ns, count));
            } else {
                stepUntilClosed(context);
            }
        }
    }

    private static int steps(Context context, double seconds, int[] ns) {
        final long endNs = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        int count = 0;
        long nowNs = System.nanoTime();
        while (nowNs < endNs && count < ns.length) {
            context.barrier(Deadline.in(PATIENCE_S, TimeUnit.SECONDS));
            final long afterNs = System.nanoTime();
            ns[count] = (int) Math.min(Integer.MAX_VALUE, afterNs - nowNs);
            nowNs = afterNs;
            count++;
        }
        return count;
    }

    private static void stepUntilClosed(Context context) {
        try {
            while (true) {
                context.barrier(Deadline.in(PATIENCE_S, TimeUnit.SECONDS));
            }
        } catch (final ClosedException expected) {
            // Rank 0 has counted its steps.
        }
    }

    /**
     * Prints the threading, the steps per second, and the median and the 99.9th percentile of a step in microseconds.
     */
    private static void print(Threading threading, int count, long tookNs, int[] ns) {
        Arrays.sort(ns);
        System.out.println(threading + " " + count * 1e9 / tookNs + " " + ns[count / 2] / PER_MILLE + " "
                + ns[(int) (count * 0.999)] / PER_MILLE);
    }
}
