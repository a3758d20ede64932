package org.segno.bench.experiment;

import org.jspecify.annotations.Nullable;

/**
 * Timing of an {@link Exchange}. One operation is one round trip; a figure is half of it.
 *
 * <p>The clock costs up to a third of the shortest message and steps by 10 ns, so a slice has two parts. The median is
 * computed from groups of {@value #GROUP} round trips with one clock reading each. This adds less than 2 ns to a
 * message before the cost of the clock is subtracted.
 *
 * <p>A group would hide the outliers that p99 measures. Therefore p99 is computed from single round trips with one
 * reading each, minus the cost of the clock. Its resolution is half a step of the clock, 5 ns.
 */
public final class LatencySide implements Side {
    /** Round trips in one sample of the median. */
    private static final int GROUP = 8;
    /** Round trips before the timing starts, so that the later side has arrived and the loop is in the caches. */
    private static final int RUN_IN = 16;
    /** Divisor of the round trips: this part is timed singly, for p99. */
    private static final int SINGLE_PART = 3;

    private static final int SAMPLE_LIMIT = 1 << 18;

    private final Requester requester;

    /** The same at the echo, where it replies; null at the origin. */
    private final @Nullable Exchange echo;

    private final long[] stampsNs = new long[SAMPLE_LIMIT + 1];
    private final TimeHistogram histogram = new TimeHistogram();
    private final double clockNs;

    /** Creates one end that times (origin) or serves (echo) the exchange and closes it at the end. */
    public LatencySide(Role role, Exchange exchange) {
        this(exchange, role == Role.ECHO ? exchange : null);
    }

    private LatencySide(Requester requester, @Nullable Exchange echo) {
        this.requester = requester;
        this.echo = echo;
        this.clockNs = Clock.costNs();
    }

    /** Creates the end that times requests which need no echo in another process, and closes it at the end. */
    public static LatencySide requesting(Requester requester) {
        return new LatencySide(requester, null);
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        final int roundTrips = Math.max(GROUP, Math.min(operations, SAMPLE_LIMIT));
        requester.prepare();
        if (echo != null) {
            echo.reply(RUN_IN + roundTrips);
            return;
        }
        requester.request(RUN_IN);
        final int singles = roundTrips < SINGLE_PART * GROUP ? 0 : roundTrips / SINGLE_PART;
        final int groups = (roundTrips - singles) / GROUP;
        time(groups, GROUP);
        figures.set(0, percentile(groups, GROUP, 50));
        final int rest = roundTrips - groups * GROUP;
        time(rest, 1);
        figures.set(1, rest == 0 ? figures.get(0) : percentile(rest, 1, 99));
    }

    private void time(int samples, int roundTrips) {
        stampsNs[0] = System.nanoTime();
        for (int i = 1; i <= samples; i++) {
            requester.request(roundTrips);
            stampsNs[i] = System.nanoTime();
        }
    }

    private double percentile(int samples, int roundTrips, double percentile) {
        histogram.reset();
        for (int i = 0; i < samples; i++) {
            histogram.record((stampsNs[i + 1] - stampsNs[i] - clockNs) / (2 * roundTrips));
        }
        return histogram.percentileNs(percentile);
    }

    @Override
    public void close() {
        requester.close();
    }
}
