package org.segno.demo.kmeans;

import java.util.Arrays;
import java.util.concurrent.Callable;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.collective.Call;
import org.segno.collective.Collective;
import org.segno.collective.Geometry;
import org.segno.collective.Reduction;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.demo.halo.RetryingCalls;
import org.segno.demo.rank.RankProgram;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.RankMain;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Main class of each rank of the demo, which is a process or a thread. */
@Command(name = "kmeans-rank", description = "One rank of 'segno demo kmeans'.")
public final class KmeansRank implements Callable<Integer>, RankMain {
    private static final double MICRO = 1000;

    @Mixin
    private final KmeansOptions options = new KmeansOptions();

    /** The job of a rank that is a thread; null for a process. */
    private @Nullable JobConfig threadJob;

    private KmeansRank() {}

    /** Runs one rank and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(RankProgram.execute(new KmeansRank(), arguments));
    }

    @Override
    public void run(JobConfig job, String[] arguments) {
        threadJob = job;
        RankProgram.executeAsThread(this, arguments);
    }

    @Override
    public Integer call() {
        options.check();
        final JobConfig thread = threadJob;
        final JobConfig job = thread == null ? JobConfig.fromEnvironment() : thread;
        final Call first = Call.broadcast(0, (long) options.clusters() * options.dimensions() * Long.BYTES);
        final Call total = Call.allreduce(
                (long) Clustering.length(options.clusters(), options.dimensions()) * Long.BYTES,
                Reduction.of(ElementType.LONG, Operator.SUM));
        final long windowBytes = Geometry.windowBytes(job.size(), first, total);
        try (Node node = RankProgram.join(job, NodeConfig.defaults().withWindowBytes(windowBytes))) {
            final Geometry world =
                    Geometry.world(node.client(), node.client().context(), "kmeans", RetryingCalls.deadlineNs());
            final KmeansReport report = cluster(world, first, total);
            return world.self() == 0 ? RankProgram.print(report, options.format(), thread != null) : RankProgram.DONE;
        }
    }

    private KmeansReport cluster(Geometry world, Call first, Call total) {
        final long begin = options.points() * world.self() / world.size();
        final long end = options.points() * (world.self() + 1) / world.size();
        final Clustering clustering = new Clustering(
                new Points(begin, end, options.dimensions()), firstCentres(world.prepare(first, deadlineNs()), world));
        final Collective totals = world.prepare(total, deadlineNs());
        final long[] computeNs = new long[options.maxIterations()];
        final long[] reduceNs = new long[options.maxIterations()];
        long changed = 1;
        int iterations = 0;
        while (changed != 0 && iterations < options.maxIterations()) {
            final long beginNs = System.nanoTime();
            final long[] spentNs = {0};
            changed = clustering.iterate(values -> {
                final long sumNs = System.nanoTime();
                sum(totals, values);
                spentNs[0] = System.nanoTime() - sumNs;
            });
            reduceNs[iterations] = spentNs[0];
            computeNs[iterations] = System.nanoTime() - beginNs - spentNs[0];
            iterations++;
        }
        return new KmeansReport(
                new KmeansReport.Problem(options.points(), options.dimensions(), options.clusters(), world.size()),
                iterations,
                changed == 0,
                world.self() == 0 && isEqualToOneProcess(clustering, iterations),
                KmeansReport.Sizes.of(clustering.counts()),
                new KmeansReport.Figures(
                        median(computeNs, iterations), median(reduceNs, iterations), totals.algorithm()));
    }

    /** Returns the first centres, which are the first points of rank 0. */
    private long[] firstCentres(Collective broadcast, Geometry world) {
        final long[] centres = new long[options.clusters() * options.dimensions()];
        if (world.self() == 0) {
            final Points points = new Points(0, options.clusters(), options.dimensions());
            for (int i = 0; i < centres.length; i++) {
                broadcast
                        .input()
                        .putLong(i * Long.BYTES, points.at(i / options.dimensions(), i % options.dimensions()));
            }
        }
        broadcast.run(deadlineNs());
        final AtomicBuffer received = world.self() == 0 ? broadcast.input() : broadcast.output();
        Arrays.setAll(centres, i -> received.getLong(i * Long.BYTES));
        return centres;
    }

    private static void sum(Collective totals, long[] values) {
        final AtomicBuffer input = totals.input();
        for (int i = 0; i < values.length; i++) {
            input.putLong(i * Long.BYTES, values[i]);
        }
        totals.run(deadlineNs());
        final AtomicBuffer output = totals.output();
        for (int i = 0; i < values.length; i++) {
            values[i] = output.getLong(i * Long.BYTES);
        }
    }

    /** Repeats the iterations with all points in one process. */
    private boolean isEqualToOneProcess(Clustering clustering, int iterations) {
        final Points first = new Points(0, options.clusters(), options.dimensions());
        final long[] centres = new long[options.clusters() * options.dimensions()];
        Arrays.setAll(centres, i -> first.at(i / options.dimensions(), i % options.dimensions()));
        final Clustering alone = new Clustering(new Points(0, options.points(), options.dimensions()), centres);
        for (int i = 0; i < iterations; i++) {
            alone.iterate(Totals.OWN);
        }
        return Arrays.equals(alone.centres(), clustering.centres())
                && Arrays.equals(alone.counts(), clustering.counts());
    }

    private static double median(long[] ns, int count) {
        final long[] sorted = Arrays.copyOf(ns, count);
        Arrays.sort(sorted);
        return sorted[count / 2] / MICRO;
    }

    private static long deadlineNs() {
        return RetryingCalls.deadlineNs();
    }
}
