package org.segno.bench.collective;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.collective.Call;
import org.segno.collective.Collective;
import org.segno.collective.Geometry;
import org.segno.collective.Reduction;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/**
 * Main class of the measured processes: collectives of Segno. Rank 0 prints a line of {@link MeasuredCalls} for each
 * test and algorithm.
 */
final class CollectiveRank {
    private static final int PATIENCE_S = 120;
    /** Memory of a rank for what lies in no collective of the tests. */
    private static final long OTHER_BYTES = 2 << 20;

    /** Copies of a block of each member that an algorithm needs, with those of the collective before. */
    private static final long COPIES = 8;

    /** All tests are made this often, so that the JIT has compiled all of them before the last pass, which counts. */
    static final int PASSES = 3;

    private final Geometry world;
    private final MeasuredCalls ends;
    private long deadlineNs;

    private CollectiveRank(Geometry world) {
        this.world = world;
        this.deadlineNs = Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
        final Collective barrier = world.prepare(Call.barrier(), deadlineNs);
        this.ends = new MeasuredCalls(() -> barrier.run(deadlineNs), this::slowest);
    }

    /** Runs one rank: the job's name, the own rank, the size, the number of engines with threads, then the tests. */
    public static void main(String[] arguments) {
        final JobConfig job =
                JobConfig.of(arguments[0], Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        final int engines = Integer.parseInt(arguments[3]);
        final List<CollectiveTest> tests = CollectiveTest.listOf(arguments, 4);
        try (Node node = Node.join(job, config(engines, windowBytes(tests, job.size())))) {
            final long deadlineNs = Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
            final Context[] contexts = new Context[Math.max(1, engines)];
            Arrays.setAll(contexts, node.client()::context);
            final Geometry world = Geometry.world(node.client(), contexts, "bench", deadlineNs);
            final CollectiveRank rank = new CollectiveRank(world);
            for (int pass = 0; pass < PASSES; pass++) {
                for (final CollectiveTest test : tests) {
                    for (final String algorithm : world.algorithms(test.call())) {
                        rank.measure(test, algorithm, pass == PASSES - 1);
                    }
                }
            }
            world.close();
        }
    }

    /** Returns the bytes that all tests need. Each rank maps those of all others, so many ranks take long to join. */
    private static long windowBytes(List<CollectiveTest> tests, int ranks) {
        final long longest =
                tests.stream().mapToLong(CollectiveTest::bytes).max().orElse(0);
        final long calls = tests.stream().mapToLong(CollectiveTest::calls).max().orElse(0);
        return OTHER_BYTES + COPIES * (ranks * longest + calls * Long.BYTES);
    }

    private static NodeConfig config(int engines, long windowBytes) {
        final NodeConfig config = NodeConfig.defaults().withWindowBytes(windowBytes);
        return engines == 0
                ? config.withThreading(NodeConfig.Threading.INVOKER)
                : config.withThreading(NodeConfig.Threading.DEDICATED)
                        .withEngines(engines)
                        .withContexts(engines);
    }

    private void measure(CollectiveTest test, String algorithm, boolean isLast) {
        deadlineNs = Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
        try (Collective measured = world.prepare(test.call().by(algorithm), deadlineNs)) {
            final String line = ends.measure(
                    test,
                    new MeasuredCalls.Steps(
                            () -> measured.run(deadlineNs), () -> startNs(measured), () -> measured.await(deadlineNs)),
                    algorithm);
            if (isLast && world.self() == 0) {
                System.out.println(line);
            }
        }
    }

    private static long startNs(Collective started) {
        final long beginNs = MeasuredCalls.beginNs();
        started.start();
        return System.nanoTime() - beginNs;
    }

    /** Replaces each value by that of the rank that has the largest one. */
    private void slowest(UnsafeBuffer took) {
        final Call slowest = Call.allreduce(took.capacity(), Reduction.of(ElementType.LONG, Operator.MAXIMUM));
        world.run(slowest, took, 0, took, 0, deadlineNs);
    }
}
