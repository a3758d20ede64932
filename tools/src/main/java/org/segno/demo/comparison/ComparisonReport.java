package org.segno.demo.comparison;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.segno.demo.rank.DemoReport;
import org.segno.tools.output.JsonObject;
import org.segno.tools.output.Quantity;

/**
 * Report of a demo with three ways.
 *
 * @param program the demo
 * @param title its problem
 * @param ranks number of ranks of the job
 * @param virtualRanks number of virtual ranks that they play
 * @param evidence results of the checks of all ranks
 * @param sendNs one-way time of a single SEND of eight bytes in nanoseconds, of which one in ten stays below
 * @param series costs of each part; the first part's figures represent the demo
 */
record ComparisonReport(
        String program,
        String title,
        int ranks,
        int virtualRanks,
        Verification evidence,
        double sendNs,
        List<ExchangeCosts> series)
        implements DemoReport {
    @Override
    public @Nullable String problem() {
        if (evidence.checked() == 0) {
            return "nothing was checked";
        }
        return evidence.wrong() == 0
                ? null
                : String.format(
                        Locale.ROOT,
                        "%s of %,d wrong: %s",
                        Quantity.of(evidence.wrong(), "value"),
                        evidence.checked(),
                        evidence.first());
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
                .put("checkedValues", evidence.checked())
                .put("greatestDifference", evidence.difference())
                .put("sendNanos", Math.round(sendNs));
        return series.get(0)
                .into(object)
                .putAll("exchanges", series.stream().map(ExchangeCosts::toObject).toList())
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
        for (final ExchangeCosts one : series) {
            text.append('\n').append(one.toText());
        }
        return text.toString();
    }

    private String checks() {
        return Quantity.of(evidence.checked(), "value")
                + (evidence.difference() == 0
                        ? ""
                        : String.format(Locale.ROOT, ", greatest difference %.1e", evidence.difference()));
    }
}
