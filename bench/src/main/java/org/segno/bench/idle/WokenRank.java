package org.segno.bench.idle;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/**
 * Main class of the processes of {@code bench wake}. Rank 0 sleeps, sends the time in a message, and sleeps again. Rank
 * 1 waits, and its handler takes the difference: the clock is the same in all processes of a host.
 */
final class WokenRank {
    private static final int ID = 1;
    private static final int PATIENCE_S = 600;
    private static final long WARM_UP_SLEEP_US = 2000;
    /** Number of different sleeps, and their distance, so that they do not follow the waiter's parks. */
    private static final int SLEEPS = 13;

    private static final long SLEEP_STEP_US = 100;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);
    private final WakeTimes times;

    private WokenRank(int warmUp, int messages) {
        times = new WakeTimes(warmUp, messages);
    }

    /**
     * Runs one rank with the job's name, the own rank, the numbers of messages that do not count and that do, and the
     * sleep in ms as arguments.
     */
    public static void main(String[] arguments) {
        final JobConfig job = JobConfig.of(arguments[0], Integer.parseInt(arguments[1]), 2);
        final WokenRank rank = new WokenRank(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        try (Node node = Node.join(job, NodeConfig.defaults())) {
            final Context context = node.client().context();
            context.handler(
                    ID,
                    (origin, buffer, m, ml, payload, length) ->
                            rank.times.add(System.nanoTime() - buffer.getLong(payload)));
            context.barrier(deadline());
            if (job.rank() == 0) {
                rank.send(context, Long.parseLong(arguments[4]));
            } else {
                rank.receive(context);
                System.out.println(node.threading() + " " + rank.times.figures());
            }
        }
    }

    private static long deadline() {
        return Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
    }

    private void send(Context context, long sleepMs) {
        for (int i = 0; i < times.all(); i++) {
            final long sleepUs = times.isWarmUp(i) ? WARM_UP_SLEEP_US : 1000 * sleepMs;
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(sleepUs + SLEEP_STEP_US * (i % SLEEPS)));
            bytes.putLong(0, System.nanoTime());
            context.sendImmediate(1, ID, bytes, 0, Long.BYTES);
            context.advance();
        }
        context.fence(deadline());
    }

    private void receive(Context context) {
        while (!times.isComplete()) {
            final int known = times.count();
            context.await(() -> times.count() > known, deadline());
        }
    }
}
