package org.segno.bench.idle;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
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
    /** Number of first messages, which follow each other faster and do not count: until then code is compiled. */
    private static final int WARM_UP = 3000;

    private static final long WARM_UP_SLEEP_US = 2000;
    /** Number of different sleeps, and their distance, so that they do not follow the waiter's parks. */
    private static final int SLEEPS = 13;

    private static final long SLEEP_STEP_US = 100;

    private static final double NS_PER_US = 1e3;
    private static final double P99 = 0.99;
    private static final double P999 = 0.999;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);
    private final long[] ns;
    private int received;

    private WokenRank(int rounds) {
        ns = new long[WARM_UP + rounds];
    }

    /** Runs one rank with the job's name, the own rank, the number of messages and the sleep in ms as arguments. */
    public static void main(String[] arguments) throws InterruptedException {
        final JobConfig job = JobConfig.of(arguments[0], Integer.parseInt(arguments[1]), 2);
        final WokenRank rank = new WokenRank(Integer.parseInt(arguments[2]));
        try (Node node = Node.join(job, NodeConfig.defaults())) {
            final Context context = node.client().context();
            context.handler(
                    ID,
                    (origin, buffer, m, ml, payload, length) ->
                            rank.ns[rank.received++] = System.nanoTime() - buffer.getLong(payload));
            context.barrier(deadline());
            if (job.rank() == 0) {
                rank.send(context, Long.parseLong(arguments[3]));
            } else {
                rank.receive(context);
            }
        }
    }

    private static long deadline() {
        return Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
    }

    private void send(Context context, long sleepMs) throws InterruptedException {
        for (int i = 0; i < ns.length; i++) {
            final long sleepUs = i < WARM_UP ? WARM_UP_SLEEP_US : 1000 * sleepMs;
            TimeUnit.MICROSECONDS.sleep(sleepUs + SLEEP_STEP_US * (i % SLEEPS));
            bytes.putLong(0, System.nanoTime());
            context.sendImmediate(1, ID, bytes, 0, Long.BYTES);
            context.advance();
        }
        context.fence(deadline());
    }

    private void receive(Context context) {
        final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        context.await(() -> received >= WARM_UP, deadline());
        final long beginNs = System.nanoTime();
        final long before = system.getProcessCpuTime();
        while (received < ns.length) {
            final int known = received;
            context.await(() -> received > known, deadline());
        }
        final double percent = 100.0 * (system.getProcessCpuTime() - before) / (System.nanoTime() - beginNs);
        final long[] sorted = Arrays.copyOfRange(ns, WARM_UP, ns.length);
        Arrays.sort(sorted);
        System.out.println(String.format(
                Locale.ROOT,
                "%.1f %.1f %.1f %.1f %.2f",
                at(sorted, 0.5),
                at(sorted, P99),
                at(sorted, P999),
                at(sorted, 1),
                percent));
    }

    private static double at(long[] sorted, double quantile) {
        final int index = (int) Math.ceil(quantile * sorted.length) - 1;
        return sorted[Math.max(0, index)] / NS_PER_US;
    }
}
