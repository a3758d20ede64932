package org.segno.demo.cg;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.segno.demo.matrix.MatrixSource;
import org.segno.demo.rank.DemoReport;
import org.segno.demo.solver.OneProcessReference;
import org.segno.demo.solver.Outcome;
import org.segno.tools.output.JsonObject;
import org.segno.tools.output.Quantity;

/**
 * Output of the demo.
 *
 * @param source the system
 * @param ranks number of ranks that solved it
 * @param outcome result of the solve
 * @param verification results of the checks
 * @param replays number of replays of rank 0's recorded exchange
 * @param figures costs, summed over all ranks
 */
record CgReport(
        MatrixSource source,
        int ranks,
        Outcome outcome,
        SolveVerification verification,
        long replays,
        FigureTable figures)
        implements DemoReport {
    /**
     * Returns the same report with the one-process reference, which the calling thread solves now if the system is
     * small enough.
     */
    CgReport withReference(double tolerance, int maxIterations) {
        if (source.nonzeroCount() > OneProcessReference.NONZERO_LIMIT) {
            return this;
        }
        final int iterations =
                OneProcessReference.solve(source, tolerance, maxIterations).iterations();
        return new CgReport(
                source,
                ranks,
                outcome,
                new SolveVerification(tolerance, verification.trueResidual(), iterations),
                replays,
                figures);
    }

    /** Returns true if the solve converged and all checks passed. */
    boolean verified() {
        return problem() == null;
    }

    @Override
    public @Nullable String problem() {
        return outcome.failure() != null ? outcome.failure() : verification.problem(outcome);
    }

    @Override
    public String toJson() {
        final JsonObject object = new JsonObject()
                .put("schema", "segno-demo-cg-1")
                .put("program", "cg")
                .put("matrix", source.name())
                .put("rows", source.rowCount())
                .put("nonzeros", source.nonzeroCount())
                .put("ranks", ranks)
                .put("converged", outcome.converged())
                .put("iterations", outcome.iterations())
                .put("tolerance", verification.tolerance())
                .put("relativeResidual", outcome.relativeResidual())
                .put("trueResidual", verification.trueResidual())
                .put("verified", verified())
                .put("problem", problem());
        if (verification.referenceIterations() != null) {
            object.put("referenceIterations", verification.referenceIterations());
        }
        return object.put("replays", replays)
                .put("iterationMicros", rounded(Figure.ITERATION_MICROS))
                .put("slowestIterationMicros", rounded(Figure.SLOWEST_ITERATION_MICROS))
                .put("computeMicros", rounded(Figure.COMPUTE_MICROS))
                .put("exchangeMicros", rounded(Figure.EXCHANGE_MICROS))
                .put("reduceMicros", rounded(Figure.REDUCE_MICROS))
                .put("exchangeAndReduceMicros", rounded(Figure.COMMUNICATION_MICROS))
                .put("messagesPerIteration", messages())
                .put("bytesPerIteration", bytes())
                .put("haloMessages", figures.sum(Figure.HALO_MESSAGES))
                .put("replayNanos", rounded(Figure.REPLAY_NANOS))
                .put("injectNanos", rounded(Figure.INJECT_NANOS))
                .toString();
    }

    @Override
    public String toText() {
        final StringBuilder text = new StringBuilder();
        line(
                text,
                "%s · %s · %s · %s",
                source.name(),
                Quantity.of(source.rowCount(), "row"),
                Quantity.of(source.nonzeroCount(), "nonzero"),
                Quantity.of(ranks, "rank"));
        line(
                text,
                "%s %s · relative residual %.2e · true residual %.2e · tolerance %.0e",
                outcome.converged() ? "converged in" : "ended after",
                Quantity.of(outcome.iterations(), "iteration"),
                outcome.relativeResidual(),
                verification.trueResidual(),
                verification.tolerance());
        if (verification.referenceIterations() == null) {
            line(text, "one-process reference omitted: more than %,d nonzeros", OneProcessReference.NONZERO_LIMIT);
        } else {
            line(text, "one-process reference: %s", Quantity.of(verification.referenceIterations(), "iteration"));
        }
        final String problem = problem();
        line(text, problem == null ? "verified" : "NOT VERIFIED: %s", problem);
        text.append('\n');
        line(
                text,
                "iteration  %10.1f us   medians of each rank, mean of all ranks",
                figures.mean(Figure.ITERATION_MICROS));
        part(text, "compute", Figure.COMPUTE_MICROS, "");
        part(text, "exchange", Figure.EXCHANGE_MICROS, traffic(Figure.HALO_MESSAGES, Figure.HALO_BYTES));
        part(text, "reduce", Figure.REDUCE_MICROS, traffic(Figure.REDUCE_MESSAGES, Figure.REDUCE_BYTES));
        text.append('\n');
        replays(text);
        return text.toString();
    }

    private void replays(StringBuilder text) {
        if (figures.sum(Figure.HALO_MESSAGES) == 0) {
            line(text, "no rank needs values of another: no messages, and nothing to save by replaying them");
            return;
        }
        line(
                text,
                "halo recorded once, replayed %s; what starting an exchange costs the application, mean of all ranks:",
                Quantity.of(replays, "time"));
        final double replay = figures.mean(Figure.REPLAY_NANOS);
        final double inject = figures.mean(Figure.INJECT_NANOS);
        line(
                text,
                "one replay, which stands for %.1f messages, %.1f ns · the same messages injected one by one %.1f ns",
                figures.mean(Figure.HALO_MESSAGES),
                replay,
                inject);
        final long percent = Math.round(100 * Math.abs(inject - replay) / inject);
        line(
                text,
                "replaying %s %d %%%s here; its cost does not grow with the messages that it stands for",
                replay <= inject ? "saves" : "costs",
                percent,
                replay <= inject ? "" : " more");
    }

    private void part(StringBuilder text, String name, Figure figure, String traffic) {
        line(text, "  %-9s%10.1f us   %s", name, figures.mean(figure), traffic);
    }

    private String traffic(Figure messages, Figure bytes) {
        return Quantity.of(figures.sum(messages), "message") + ", " + Quantity.of(figures.sum(bytes), "byte");
    }

    private long messages() {
        return figures.sum(Figure.HALO_MESSAGES) + figures.sum(Figure.REDUCE_MESSAGES);
    }

    private long bytes() {
        return figures.sum(Figure.HALO_BYTES) + figures.sum(Figure.REDUCE_BYTES);
    }

    /** Rounds to a thousandth of the unit; no figure here is more precise. */
    private double rounded(Figure figure) {
        return Math.round(figures.mean(figure) * 1e3) / 1e3;
    }

    private static void line(StringBuilder text, String format, @Nullable Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
