package org.segno.demo.comparison;

import java.util.Locale;
import org.segno.tools.output.JsonObject;
import org.segno.tools.output.Quantity;

/**
 * Costs of one exchange of a demo.
 *
 * @param title title of the exchange
 * @param messages number of messages in an iteration of the rank that sends most
 * @param bytes number of bytes in these messages
 * @param sendNs one-way time of a single SEND of eight bytes in nanoseconds, of which one in ten stays below
 * @param times times of the slowest rank of each phase
 */
record ExchangeCosts(String title, long messages, long bytes, double sendNs, PhaseTimes times) {
    /** Figures have a precision of a thousandth of a microsecond. */
    private static final double PRECISION = 1e3;

    private static final double NANOS_PER_MICRO = 1e3;

    /** Adds the times and ratios. */
    JsonObject into(JsonObject object) {
        return object.put("iterations", iterations())
                .put("messagesPerIteration", messages)
                .put("bytesPerIteration", bytes)
                .put("injectedMicros", rounded(times.medianMicros(SendMode.INJECTED)))
                .put("multisendMicros", rounded(times.medianMicros(SendMode.MULTISEND)))
                .put("replayedMicros", rounded(times.medianMicros(SendMode.REPLAYED)))
                .put("injectedToReplayed", rounded(medianRatio(SendMode.INJECTED)))
                .put("multisendToReplayed", rounded(medianRatio(SendMode.MULTISEND)))
                .put("fastInjectedMicros", rounded(times.fastMicros(SendMode.INJECTED)))
                .put("fastMultisendMicros", rounded(times.fastMicros(SendMode.MULTISEND)))
                .put("fastReplayedMicros", rounded(times.fastMicros(SendMode.REPLAYED)))
                .put("startingInjectedMicros", rounded(times.startingMicros(SendMode.INJECTED)))
                .put("startingMultisendMicros", rounded(times.startingMicros(SendMode.MULTISEND)))
                .put("startingReplayedMicros", rounded(times.startingMicros(SendMode.REPLAYED)))
                .put(
                        "injectedToSend",
                        rounded(times.fastMicros(SendMode.INJECTED) * NANOS_PER_MICRO / messages / sendNs));
    }

    /** Returns the costs as a separate object. */
    JsonObject toObject() {
        return into(new JsonObject().put("exchange", title));
    }

    /** Returns lines for people. */
    String toText() {
        final StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%s · %s of %,d bytes in all from each rank · %s of each way%n",
                title,
                Quantity.of(messages, "message"),
                bytes,
                Quantity.of(iterations(), "iteration")));
        for (final SendMode mode : SendMode.values()) {
            text.append(String.format(
                    Locale.ROOT,
                    "  %-20s%10.1f us  %5.2f x%12.1f us  %5.2f x%12.1f us%8.1f ns%n",
                    mode.title(),
                    times.medianMicros(mode),
                    medianRatio(mode),
                    times.fastMicros(mode),
                    times.fastMicros(mode) / times.fastMicros(SendMode.REPLAYED),
                    times.startingMicros(mode),
                    times.medianMicros(mode) * NANOS_PER_MICRO / messages));
        }
        return text.toString();
    }

    private int iterations() {
        return times.iterations(SendMode.REPLAYED);
    }

    private double medianRatio(SendMode mode) {
        return times.medianMicros(mode) / times.medianMicros(SendMode.REPLAYED);
    }

    private static double rounded(double value) {
        return Math.round(value * PRECISION) / PRECISION;
    }
}
