package org.segno.demo.cg;

import java.time.Duration;
import org.segno.context.Context;
import org.segno.demo.halo.AllReduce;
import org.segno.demo.halo.HaloExchange;
import org.segno.demo.halo.ReplayCost;
import org.segno.demo.halo.RetryingCalls;
import org.segno.demo.matrix.HaloPlan;
import org.segno.demo.matrix.MatrixSource;
import org.segno.demo.matrix.RowPartition;
import org.segno.demo.solver.ConjugateGradients;
import org.segno.demo.solver.Ghosts;
import org.segno.demo.solver.IterationTimes;
import org.segno.demo.solver.Outcome;
import org.segno.demo.solver.SharedTime;
import org.segno.demo.solver.SolveProgress;
import org.segno.demo.solver.Sums;
import org.segno.node.Node;

/** Solve of one rank: warm up, solve, check, measure the cost of a replay. Used by the rank's only thread. */
final class RankSolve {
    private static final int WARM_UP_PATTERN = 2;
    private static final int HALO_PATTERN = 3;
    private static final int FIRST_COST_PATTERN = 4;

    /**
     * Entries that all ranks together multiply until the JIT has compiled all code of an iteration, and again until
     * enough iterations are timed.
     */
    private static final long ENOUGH_NONZEROS = 50_000_000;

    private static final int LEAST_ITERATIONS = 20;
    private static final int MOST_ITERATIONS = 5_000;
    private static final int WARM_UP_STEP = 100;

    /** Sums and exchanges after which the JIT has compiled both; an iteration has only a few of them. */
    private static final int WARM_UP_SUMS = 20_000;

    private static final int WARM_UP_EXCHANGES = 5_000;
    private static final int WARM_UP_GROUP = 50;
    private static final long WARM_UP_LIMIT_NS = 500_000_000L;

    /** Time limit for each of warming up, repeating and measuring replays on a loaded machine. */
    private static final long TIME_LIMIT_NS = 1_500_000_000L;

    private final MatrixSource source;
    private final HaloPlan plan;
    private final int rank;
    private final int size;

    private Duration repeated = Duration.ZERO;

    private RankSolve(MatrixSource source, HaloPlan plan, int rank, int size) {
        this.source = source;
        this.plan = plan;
        this.rank = rank;
        this.size = size;
    }

    /**
     * Creates the solve of this rank's rows.
     *
     * @throws IllegalArgumentException if there are more ranks than rows
     */
    static RankSolve of(MatrixSource source, int rank, int size) {
        final RowPartition partition = RowPartition.byNonzeros(source, size);
        final HaloPlan plan = HaloPlan.of(source.rows(partition.first(rank), partition.end(rank)), partition, rank);
        return new RankSolve(source, plan, rank, size);
    }

    /**
     * Sets the time of repeated solves before iterations are timed. The first solve records, and after that the JIT
     * compiles parts again; where ranks share cores, its threads take time from them.
     */
    void repeatBeforeTiming(Duration time) {
        repeated = time;
    }

    /** Returns the bytes of windows that this rank's node must have. */
    long windowBytes() {
        return AllReduce.windowBytes(size) + 2 * HaloExchange.windowBytes(plan, size);
    }

    /** Solves with the other ranks. All ranks get the same report, apart from the number of their own replays. */
    CgReport run(Node node, double tolerance, int maxIterations, SolveProgress progress) {
        final Context context = node.client().context();
        final AllReduce sums = AllReduce.open(node, context);
        final ConjugateGradients solver = new ConjugateGradients(plan, sums);
        warmUp(solver, HaloExchange.open(node, context, plan, "cg-warm-up", WARM_UP_PATTERN), sums, tolerance);

        final HaloExchange halo = HaloExchange.open(node, context, plan, "cg-halo", HALO_PATTERN);
        final IterationTimes times = new IterationTimes(maxIterations + enoughIterations());
        context.barrier(RetryingCalls.deadlineNs());
        final Outcome outcome = solver.solve(tolerance, maxIterations, halo, times, progress);
        final long replays = halo.replayCount();
        final SharedTime warming = SharedTime.begin(sums, repeated.toNanos());
        while (outcome.converged() && warming.lasts()) {
            solver.solve(tolerance, maxIterations, halo, times, SolveProgress.NONE);
            times.clear();
        }
        // A small system is solved in less time than a scheduler's slice. Only repetitions make a median meaningful.
        final SharedTime repeating = SharedTime.begin(sums, TIME_LIMIT_NS);
        while (outcome.converged() && times.count() < enoughIterations() && repeating.lasts()) {
            solver.solve(tolerance, maxIterations, halo, times, SolveProgress.NONE);
        }
        final double trueResidual = solver.trueResidual(halo::exchangePlainly);
        final ReplayCost cost =
                ReplayCost.measure(context, halo, size, FIRST_COST_PATTERN, SharedTime.begin(sums, TIME_LIMIT_NS));
        final FigureTable figures = figures(times, cost, halo, sums)
                .set(Figure.SLOWEST_ITERATION_MICROS, largest(times.totalMicros(), sums));
        figures.addUp(sums, size);
        return new CgReport(
                source, size, outcome, new SolveVerification(tolerance, trueResidual, null), replays, figures);
    }

    /** Returns true on the rank that reports. */
    boolean reports() {
        return rank == 0;
    }

    /** Iterates with separate patterns, so that the solve itself still records in its first iteration. */
    private void warmUp(ConjugateGradients solver, Ghosts ghosts, Sums sums, double tolerance) {
        final IterationTimes unread = new IterationTimes(0);
        warmUp(WARM_UP_SUMS, sums, () -> sums.sum(new double[Sums.VALUE_COUNT]));
        final double[] vector = new double[plan.vectorLength()];
        warmUp(WARM_UP_EXCHANGES, sums, () -> ghosts.exchange(vector));
        final SharedTime warming = SharedTime.begin(sums, TIME_LIMIT_NS);
        int left = enoughIterations();
        while (left > 0 && warming.lasts()) {
            final Outcome outcome =
                    solver.solve(tolerance, Math.min(left, WARM_UP_STEP), ghosts, unread, SolveProgress.NONE);
            left -= Math.max(1, outcome.iterations());
        }
    }

    /** Repeats a step at all ranks, in groups, as long as there is time. */
    private static void warmUp(int times, Sums sums, Runnable step) {
        final SharedTime warming = SharedTime.begin(sums, WARM_UP_LIMIT_NS);
        for (int i = 0; i < times && warming.lasts(); i += WARM_UP_GROUP) {
            for (int j = 0; j < WARM_UP_GROUP; j++) {
                step.run();
            }
        }
    }

    /** Returns the largest of the ranks' values. Every rank calls this. */
    private double largest(double own, Sums sums) {
        double largest = own;
        final double[] values = new double[Sums.VALUE_COUNT];
        for (int other = 0; other < size; other++) {
            values[0] = other == rank ? own : 0;
            sums.sum(values);
            largest = Math.max(largest, values[0]);
        }
        return largest;
    }

    private int enoughIterations() {
        return (int) Math.min(MOST_ITERATIONS, Math.max(LEAST_ITERATIONS, ENOUGH_NONZEROS / source.nonzeroCount()));
    }

    private static FigureTable figures(IterationTimes times, ReplayCost cost, HaloExchange halo, AllReduce sums) {
        return new FigureTable()
                .set(Figure.ITERATION_MICROS, times.totalMicros())
                .set(Figure.COMPUTE_MICROS, times.computeMicros())
                .set(Figure.EXCHANGE_MICROS, times.exchangeMicros())
                .set(Figure.REDUCE_MICROS, times.reduceMicros())
                .set(Figure.COMMUNICATION_MICROS, times.communicationMicros())
                .set(Figure.REPLAY_NANOS, cost.replayNanos())
                .set(Figure.INJECT_NANOS, cost.injectNanos())
                .set(Figure.HALO_MESSAGES, halo.messageCount())
                .set(Figure.HALO_BYTES, (double) halo.byteCount())
                .set(Figure.REDUCE_MESSAGES, ConjugateGradients.SUMS_PER_ITERATION * sums.messageCount())
                .set(Figure.REDUCE_BYTES, (double) (ConjugateGradients.SUMS_PER_ITERATION * sums.byteCount()));
    }
}
