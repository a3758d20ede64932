package org.segno.tools.demo.ways;

import java.util.Locale;
import org.segno.tools.output.JsonObject;
import org.segno.tools.output.Quantity;

/**
 * What one part of a demo cost.
 *
 * @param title what it is.
 * @param messages that a rank sends in an iteration, the one that sends most.
 * @param bytes that they hold.
 * @param sendNs what a SEND of eight bytes by itself takes one way, nanoseconds, which one in ten stays below.
 * @param times of the slowest rank of each phase.
 */
record Series(String title, long messages, long bytes, double sendNs, PhaseTimes times) {
    /** Nothing here is known to more than a thousandth of a microsecond. */
    private static final double PRECISION = 1e3;

    private static final double NANOS_PER_MICRO = 1e3;

    /** Adds the times and ratios. */
    JsonObject into(JsonObject object) {
        return object.put("iterations", iterations())
                .put("messagesPerIteration", messages)
                .put("bytesPerIteration", bytes)
                .put("injectedMicros", rounded(times.medianMicros(Way.INJECTED)))
                .put("multisendMicros", rounded(times.medianMicros(Way.MULTISEND)))
                .put("replayedMicros", rounded(times.medianMicros(Way.REPLAYED)))
                .put("injectedToReplayed", rounded(medianRatio(Way.INJECTED)))
                .put("multisendToReplayed", rounded(medianRatio(Way.MULTISEND)))
                .put("fastInjectedMicros", rounded(times.fastMicros(Way.INJECTED)))
                .put("fastMultisendMicros", rounded(times.fastMicros(Way.MULTISEND)))
                .put("fastReplayedMicros", rounded(times.fastMicros(Way.REPLAYED)))
                .put("startingInjectedMicros", rounded(times.startingMicros(Way.INJECTED)))
                .put("startingMultisendMicros", rounded(times.startingMicros(Way.MULTISEND)))
                .put("startingReplayedMicros", rounded(times.startingMicros(Way.REPLAYED)))
                .put("injectedToSend", rounded(times.fastMicros(Way.INJECTED) * NANOS_PER_MICRO / messages / sendNs));
    }

    /** As an object of its own. */
    JsonObject toObject() {
        return into(new JsonObject().put("exchange", title));
    }

    /** Lines for people. */
    String toText() {
        final StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%s · %s of %,d bytes in all from each rank · %s of each way%n",
                title,
                Quantity.of(messages, "message"),
                bytes,
                Quantity.of(iterations(), "iteration")));
        for (final Way way : Way.values()) {
            text.append(String.format(
                    Locale.ROOT,
                    "  %-20s%10.1f us  %5.2f x%12.1f us  %5.2f x%12.1f us%8.1f ns%n",
                    way.title(),
                    times.medianMicros(way),
                    medianRatio(way),
                    times.fastMicros(way),
                    times.fastMicros(way) / times.fastMicros(Way.REPLAYED),
                    times.startingMicros(way),
                    times.medianMicros(way) * NANOS_PER_MICRO / messages));
        }
        return text.toString();
    }

    private int iterations() {
        return times.iterations(Way.REPLAYED);
    }

    private double medianRatio(Way way) {
        return times.medianMicros(way) / times.medianMicros(Way.REPLAYED);
    }

    private static double rounded(double value) {
        return Math.round(value * PRECISION) / PRECISION;
    }
}
