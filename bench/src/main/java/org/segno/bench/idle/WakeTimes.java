package org.segno.bench.idle;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;

/** Times from the sending of messages to their handling, and the processor time of the process meanwhile. */
final class WakeTimes {
    private static final double NS_PER_US = 1e3;
    private static final double P99 = 0.99;
    private static final double P999 = 0.999;

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final int warmUp;
    private final long[] ns;
    private int count;
    private long beginNs;
    private long beginCpuNs;

    /** Creates the times of {@code messages} after {@code warmUp} that do not count: until then code is compiled. */
    WakeTimes(int warmUp, int messages) {
        this.warmUp = warmUp;
        ns = new long[warmUp + messages];
    }

    void add(long elapsedNs) {
        ns[count++] = elapsedNs;
        if (count == warmUp) {
            beginNs = System.nanoTime();
            beginCpuNs = system.getProcessCpuTime();
        }
    }

    int count() {
        return count;
    }

    /** Returns true if the message with this number, from zero, does not count. */
    boolean isWarmUp(int message) {
        return message < warmUp;
    }

    /** Returns the number of messages, the first ones included. */
    int all() {
        return ns.length;
    }

    boolean isComplete() {
        return count == ns.length;
    }

    /** Returns median, p99, p99.9 and maximum in microseconds, and the processor time as a percentage of a core. */
    String figures() {
        final double percent = 100.0 * (system.getProcessCpuTime() - beginCpuNs) / (System.nanoTime() - beginNs);
        final long[] sorted = Arrays.copyOfRange(ns, warmUp, ns.length);
        Arrays.sort(sorted);
        return String.format(
                Locale.ROOT,
                "%.1f %.1f %.1f %.1f %.2f",
                at(sorted, 0.5),
                at(sorted, P99),
                at(sorted, P999),
                at(sorted, 1),
                percent);
    }

    private static double at(long[] sorted, double quantile) {
        final int index = (int) Math.ceil(quantile * sorted.length) - 1;
        return sorted[Math.max(0, index)] / NS_PER_US;
    }
}
