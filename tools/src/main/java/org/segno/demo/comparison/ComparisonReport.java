package org.segno.demo.comparison;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.segno.demo.rank.DemoReport;
import org.segno.tools.output.JsonObject;
import org.segno.tools.output.Quantity;

/**
 * Report of a demo with three modes.
 *
 * @param program the demo
 * @param title its problem
 * @param ranks number of ranks of the job
 * @param virtualRanks number of virtual ranks that they play
 * @param verification results of the checks of all ranks
 * @param sendNs one-way time of a single SEND of eight bytes in nanoseconds, of which one in ten stays below
 * @param costs costs of each exchange; those of the first represent the demo
 */
record ComparisonReport(
        String program,
        String title,
        int ranks,
        int virtualRanks,
        Verification verification,
        double sendNs,
        List<ExchangeCosts> costs)
        implements DemoReport {
    @Override
    public @Nullable String problem() {
        if (verification.checked() == 0) {
            return "nothing was checked";
        }
        return verification.wrong() == 0
                ? null
                : String.format(
                        Locale.ROOT,
                        "%s of %,d wrong: %s",
                        Quantity.of(verification.wrong(), "value"),
                        verification.checked(),
                        verification.firstError());
    }

    @Override
    public String toJson() {
        final String problem = problem();
        final JsonObject object = new JsonObject()
                .put("schema", "segno-demo-" + program + "-1")
                .put("program", program)
                .put("problemSize", title)
                .put("ranks", ranks)
                .put("virtualRanks", virtualRanks)
                .put("verified", problem == null)
                .put("problem", problem)
                .put("checkedValues", verification.checked())
                .put("greatestDifference", verification.difference())
                .put("sendNanos", Math.round(sendNs));
        return costs.get(0)
                .into(object)
                .putAll("exchanges", costs.stream().map(ExchangeCosts::toObject).toList())
                .toString();
    }

    @Override
    public String toText() {
        final String problem = problem();
        final StringBuilder text = new StringBuilder()
                .append(title)
                .append(" · ")
                .append(Quantity.of(virtualRanks, "virtual rank"))
                .append(" on ")
                .append(Quantity.of(ranks, "rank"))
                .append('\n')
                .append(problem == null ? "verified: " + checks() : "NOT VERIFIED: " + problem)
                .append(String.format(Locale.ROOT, "%na SEND of 8 bytes by itself: %.0f ns, fastest tenth", sendNs))
                .append("\n\ncommunication of an iteration, slowest rank: median, fastest tenth, each beside replayed;"
                        + " starting it; a message\n");
        for (final ExchangeCosts one : costs) {
            text.append('\n').append(one.toText());
        }
        return text.toString();
    }

    private String checks() {
        return Quantity.of(verification.checked(), "value")
                + (verification.difference() == 0
                        ? ""
                        : String.format(Locale.ROOT, ", greatest difference %.1e", verification.difference()));
    }
}
