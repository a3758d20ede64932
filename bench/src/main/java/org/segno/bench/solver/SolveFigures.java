package org.segno.bench.solver;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.segno.bench.report.JsonFields;
import org.segno.bench.report.Median;

/**
 * Figures of one run of a solver.
 *
 * @param iterations iterations of a solve
 * @param residual norm of the residual after them, divided by that of the right side
 * @param messages messages of an exchange, of all ranks
 * @param slowestUs median time of an iteration at the slowest rank
 * @param computeUs median time of its computation, mean of all ranks
 * @param exchangeUs median time of its exchange, mean of all ranks
 * @param reduceUs median time of its two sums, mean of all ranks
 */
record SolveFigures(
        int iterations,
        double residual,
        long messages,
        double slowestUs,
        double computeUs,
        double exchangeUs,
        double reduceUs) {
    /** Limit of the relative difference of two residuals: the programs add in different orders. */
    private static final double ROUNDING = 1e-6;

    /** Residual of rounding alone: a small system is solved to the last bit before the iterations end. */
    private static final double LAST_BIT = 1e-15;

    private static final double MICRO = 1000;
    private static final Pattern MPI = Pattern.compile("cg (\\d+) (\\S+) (\\S+) (\\d+) (\\d+) (\\d+) (\\d+) (\\d+)");

    /** Returns the figures in the JSON of the demo. */
    static SolveFigures ofDemo(String json) throws IOException {
        final Map<String, String> fields = JsonFields.of(json);
        return new SolveFigures(
                (int) number(fields, "iterations"),
                number(fields, "relativeResidual"),
                (long) number(fields, "haloMessages"),
                number(fields, "slowestIterationMicros"),
                number(fields, "computeMicros"),
                number(fields, "exchangeMicros"),
                number(fields, "reduceMicros"));
    }

    private static double number(Map<String, String> fields, String name) throws IOException {
        final String text = fields.get(name);
        if (text == null) {
            throw new IOException("the demo printed no " + name + ": " + fields);
        }
        return Double.parseDouble(text);
    }

    /** Returns the figures in the output of the program in C, which has squares of norms, and times in ns. */
    static SolveFigures ofMpi(List<String> lines) throws IOException {
        // Some MPIs print warnings as well.
        for (final String line : lines) {
            final Matcher figures = MPI.matcher(line);
            if (figures.matches()) {
                return new SolveFigures(
                        Integer.parseInt(figures.group(1)),
                        Math.sqrt(Double.parseDouble(figures.group(2)) / Double.parseDouble(figures.group(3))),
                        Long.parseLong(figures.group(4)),
                        Double.parseDouble(figures.group(5)) / MICRO,
                        Double.parseDouble(figures.group(6)) / MICRO,
                        Double.parseDouble(figures.group(7)) / MICRO,
                        Double.parseDouble(figures.group(8)) / MICRO);
            }
        }
        throw new IOException("the program with MPI printed no figures: " + String.join("; ", lines));
    }

    /** Returns the median of each time; what has no time is that of the first run. */
    static SolveFigures median(List<SolveFigures> runs) {
        final SolveFigures first = runs.get(0);
        return new SolveFigures(
                first.iterations,
                first.residual,
                first.messages,
                Median.of(runs, SolveFigures::slowestUs),
                Median.of(runs, SolveFigures::computeUs),
                Median.of(runs, SolveFigures::exchangeUs),
                Median.of(runs, SolveFigures::reduceUs));
    }

    /**
     * Checks that MPI has solved the same problem in the same way.
     *
     * @throws UnequalSolveException if it has not
     */
    void checkEqual(SolveFigures mpi) {
        final boolean isClose = Math.abs(residual - mpi.residual) <= Math.max(ROUNDING * residual, LAST_BIT);
        if (iterations != mpi.iterations || messages != mpi.messages || !isClose) {
            throw new UnequalSolveException("Segno and MPI have solved different problems: " + describe() + " and "
                    + mpi.describe() + "; residuals may differ by " + ROUNDING + " of their size or " + LAST_BIT);
        }
    }

    private String describe() {
        return String.format(
                Locale.ROOT, "residual %.9e after %d iterations with %d messages", residual, iterations, messages);
    }
}
