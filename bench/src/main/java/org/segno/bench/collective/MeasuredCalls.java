package org.segno.bench.collective;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The measurement of one rank. Each call follows a barrier; its time is that of the slowest rank.
 *
 * @param barrier of all ranks
 * @param slowest replaces each word of a buffer by the largest one of all ranks
 */
record MeasuredCalls(Runnable barrier, Consumer<UnsafeBuffer> slowest) {
    /** Calls after which a short method is compiled. */
    private static final int COMPILED_CALLS = 20_000;

    /**
     * A call in one step and in two.
     *
     * @param run the whole call
     * @param startNs makes its start, which does not wait, and returns what this took between two readings of the
     *     clock: as an application starts it, without the call of a function object within
     * @param await the wait for its end
     */
    record Steps(Runnable run, LongSupplier startNs, Runnable await) {}

    /**
     * Measures a collective, after as many calls to warm up. Returns the test's name, its bytes, the median in ns, the
     * time back to back, that of a start, that of a bare start, that of two readings of the clock, and the algorithm.
     *
     * <p>A start takes longer, the more of what it touches has left the caches: by long calls, and by the other ranks
     * on the same core. So do the readings of the clock. The bare start and the readings with nothing between are
     * therefore measured in this process, after the same calls; both starts are without the latter.
     */
    String measure(CollectiveTest test, Steps call, String algorithm) {
        final int samples = 2 * ((test.calls() + 3) / 4);
        final long[] startNs = new long[samples];
        for (int i = 0; i < test.calls(); i++) {
            call.run.run();
            startNs[i % samples] = call.startNs.getAsLong();
            call.await.run();
        }
        // The calls take turns, because a reading of the clock between start and end would count as part of a call.
        final UnsafeBuffer took = new UnsafeBuffer(new byte[samples * Long.BYTES]);
        final long[] bareNs = new long[samples / 2];
        final long[] clockNs = new long[samples / 2];
        final BareRounds bare = new BareRounds();
        for (int i = 0; i < COMPILED_CALLS; i++) {
            bareNs[i % bareNs.length] = startNs(bare);
            bare.execute();
            clockNs[i % clockNs.length] = clockNs();
        }
        for (int i = 0; i < samples; i++) {
            barrier.run();
            final long callNs = System.nanoTime();
            call.run.run();
            took.putLong(i * Long.BYTES, System.nanoTime() - callNs);
            // As often as a call touches what its start does: one call lies before each measured start.
            bare.start();
            bare.execute();
            barrier.run();
            startNs[i] = call.startNs.getAsLong();
            call.await.run();
            barrier.run();
            if ((i & 1) == 0) {
                bareNs[i / 2] = startNs(bare);
                bare.execute();
            } else {
                clockNs[i / 2] = clockNs();
            }
        }
        slowest.accept(took);
        barrier.run();
        final long eachBeginNs = System.nanoTime();
        for (int i = 0; i < test.calls(); i++) {
            call.run.run();
        }
        final double eachNs = (System.nanoTime() - eachBeginNs) / (double) test.calls();
        final long[] sorted = new long[samples];
        Arrays.setAll(sorted, i -> took.getLong(i * Long.BYTES));
        final double clock = middleMean(clockNs);
        return String.format(
                Locale.ROOT,
                "%s %d %d %.0f %.1f %.1f %.1f %s",
                test.name(),
                test.bytes(),
                median(sorted),
                eachNs,
                middleMean(startNs) - clock,
                middleMean(bareNs) - clock,
                clock,
                algorithm);
    }

    /** Returns the time of a bare start. A method of its own, as that of the clock, is compiled early. */
    private static long startNs(BareRounds bare) {
        final long beginNs = beginNs();
        bare.start();
        return System.nanoTime() - beginNs;
    }

    /** Returns the time of two readings of the clock with nothing between. */
    private static long clockNs() {
        final long beginNs = beginNs();
        return System.nanoTime() - beginNs;
    }

    /**
     * Returns the later one of two readings of the clock: where other ranks have had this core, the first one takes
     * longer by itself.
     */
    static long beginNs() {
        return Math.max(System.nanoTime(), System.nanoTime());
    }

    /** Returns the mean of the middle half: a start takes about as long as a step of some clocks. */
    private static double middleMean(long[] values) {
        Arrays.sort(values);
        return Arrays.stream(values, values.length / 4, values.length - values.length / 4)
                .average()
                .orElseThrow();
    }

    private static long median(long[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
