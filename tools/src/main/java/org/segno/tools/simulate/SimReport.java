package org.segno.tools.simulate;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.segno.simulator.SimulationPlan.Bounds;
import org.segno.simulator.SimulationResult;
import org.segno.tools.command.Console;
import org.segno.tools.output.Format;
import org.segno.tools.output.Quantity;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/**
 * Report of {@code segno sim}. The formats csv and ndjson have a row for each seed; the others have sums, and rows for
 * the first seeds that failed.
 */
final class SimReport implements Consumer<SimulationResult> {
    static final String SCHEMA = "segno-sim-1";
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_S = 1e9;

    private final PlanChoice plans;
    private final SeedRange seeds;
    private final Format format;
    private final SweepSummary summary;
    private final Table runs = Table.of(
            "runs", "seed", "faults", "messages", "virtualMicros", "checks", "eventHash", "defects", "firstDefect");
    private long wallNs = 1;
    private @Nullable SimulationResult reduced;

    SimReport(PlanChoice plans, SeedRange seeds, Format format) {
        this.plans = plans;
        this.seeds = seeds;
        this.format = format;
        this.summary = new SweepSummary(plans.checks());
    }

    @Override
    public void accept(SimulationResult result) {
        summary.accept(result);
        if (format == Format.CSV || format == Format.NDJSON) {
            runs.row(
                    result.plan().seed(),
                    FaultChoice.text(result.plan().faults()),
                    result.messages(),
                    result.virtualNs() / NS_PER_US,
                    result.checks(),
                    hash(result.eventHash()),
                    plans.checks().defects(result).size(),
                    firstDefect(result));
        }
    }

    private @Nullable String firstDefect(SimulationResult result) {
        final List<String> defects = plans.checks().defects(result);
        return defects.isEmpty() ? null : defects.get(0);
    }

    private static String hash(long value) {
        return String.format(Locale.ROOT, "%016x", value);
    }

    /** Sets the time that all simulations took. */
    void ended(long elapsedNs) {
        wallNs = Math.max(1, elapsedNs);
    }

    /** Returns the result of the first seed with a defect, or null. */
    @Nullable
    SimulationResult firstFailure() {
        return summary.failures().isEmpty() ? null : summary.failures().get(0);
    }

    /** Sets the result of the plan to which the first failure was reduced. */
    void reduced(SimulationResult result) {
        reduced = result;
    }

    /** Prints the report, and in formats for programs a failed check also on the console. */
    void print(PrintWriter out, Console console) {
        final String repeat = reduced == null ? null : plans.command(reduced.plan());
        final Report report = new Report(SCHEMA, title())
                .put("nodes", plans.nodes())
                .put("workload", ConstantList.text(plans.workload()))
                .put("operations", plans.operations())
                .put("untilMicros", isUnbounded() ? null : plans.bounds().untilNs() / NS_PER_US)
                .put("size", plans.bounds().longest())
                .put("fifoSlots", areSlotsDrawn() ? null : plans.bounds().fifoSlots())
                .put("faults", plans.faults())
                .put("checked", plans.checks())
                .put("firstSeed", seeds.first())
                .put("seeds", summary.seeds())
                .put("failedSeeds", summary.failed())
                .put("messages", summary.messages())
                .put("virtualMicros", summary.virtualNs() / NS_PER_US)
                .put("checks", summary.checks())
                .put("eventHash", hash(summary.eventHash()))
                .put("wallSeconds", wallNs / NS_PER_S)
                .put("schedulesPerSecond", perSecond())
                .put("repeat", repeat)
                .add(format == Format.CSV || format == Format.NDJSON ? runs : failures());
        if (reduced != null && repeat != null) {
            final String line = "seed " + reduced.plan().seed() + ", reduced: " + firstDefect(reduced);
            if (format == Format.TABLE) {
                report.note(line).note(repeat);
            } else {
                console.problem(line + "; to repeat it: " + repeat);
            }
        }
        report.print(out, format);
    }

    private boolean isUnbounded() {
        return plans.bounds().untilNs() == Bounds.USUAL.untilNs();
    }

    private boolean areSlotsDrawn() {
        return plans.bounds().fifoSlots() == Bounds.USUAL.fifoSlots();
    }

    private double perSecond() {
        return summary.seeds() * NS_PER_S / wallNs;
    }

    private String title() {
        final String verdict = summary.failed() == 0
                ? "fine"
                : String.format(Locale.ROOT, "%,d of %s failed", summary.failed(), Quantity.of(seeds.count(), "seed"));
        return String.format(
                Locale.ROOT,
                "%s · %s · %s · event hash %s%nfinished at %s of virtual time in %.2f s, %s schedules a second"
                        + " · %,d checks of %s: %s",
                Quantity.of(plans.nodes(), "node"),
                Quantity.of(summary.messages(), "message"),
                seeds,
                hash(summary.eventHash()),
                virtualTime(),
                wallNs / NS_PER_S,
                Quantity.ofFigure(perSecond()),
                summary.checks(),
                plans.checks().toString().replace(",", ", "),
                verdict);
    }

    private String virtualTime() {
        final long ns = summary.virtualNs();
        return ns < TimeUnit.SECONDS.toNanos(1)
                ? String.format(Locale.ROOT, "%,.2f us", ns / NS_PER_US)
                : String.format(Locale.ROOT, "%,.2f s", ns / NS_PER_S);
    }

    private Table failures() {
        final Table failures = Table.of("failures", "seed", "defects", "firstDefect");
        for (final SimulationResult failure : summary.failures()) {
            failures.row(failure.plan().seed(), plans.checks().defects(failure).size(), firstDefect(failure));
        }
        return failures;
    }
}
