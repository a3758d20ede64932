package org.segno.bench.collective;

import java.util.Arrays;
import java.util.Locale;
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
 * Main class of the measured processes. Each call follows a barrier; its time is that of the slowest rank. Rank 0
 * prints for each test its name, its bytes, the median in ns, the time back to back, that of a start without the clock,
 * and the algorithm.
 */
final class CollectiveRank {
    private static final int PATIENCE_S = 120;
    private static final long WINDOW_BYTES = 64 << 20;

    /** All tests are made this often, so that the JIT has compiled all of them before the last pass, which counts. */
    private static final int PASSES = 3;

    private static final int CLOCKS = 1001;

    private final Geometry world;
    private final Collective barrier;
    private long deadlineNs;

    private CollectiveRank(Geometry world) {
        this.world = world;
        this.deadlineNs = Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
        this.barrier = world.prepare(Call.barrier(), deadlineNs);
    }

    /** Runs one rank: the job's name, the own rank, the size, the number of engines with threads, then the tests. */
    public static void main(String[] arguments) {
        final JobConfig job =
                JobConfig.of(arguments[0], Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        final int engines = Integer.parseInt(arguments[3]);
        try (Node node = Node.join(job, config(engines))) {
            final long deadlineNs = Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
            final Context[] contexts = new Context[Math.max(1, engines)];
            Arrays.setAll(contexts, node.client()::context);
            final Geometry world = Geometry.world(node.client(), contexts, "bench", deadlineNs);
            final CollectiveRank rank = new CollectiveRank(world);
            for (int pass = 0; pass < PASSES; pass++) {
                for (int word = 4; word + 2 < arguments.length; word += 3) {
                    final CollectiveTest test =
                            CollectiveTest.of(arguments[word], arguments[word + 1], arguments[word + 2]);
                    for (final String algorithm : world.algorithms(test.call())) {
                        rank.measure(test, algorithm, pass == PASSES - 1);
                    }
                }
            }
            world.close();
        }
    }

    private static NodeConfig config(int engines) {
        final NodeConfig config = NodeConfig.defaults().withWindowBytes(WINDOW_BYTES);
        return engines == 0
                ? config.withThreading(NodeConfig.Threading.INVOKER)
                : config.withThreading(NodeConfig.Threading.DEDICATED)
                        .withEngines(engines)
                        .withContexts(engines);
    }

    private void measure(CollectiveTest test, String algorithm, boolean isLast) {
        deadlineNs = Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
        try (Collective measured = world.prepare(test.call().by(algorithm), deadlineNs)) {
            for (int i = 0; i < test.calls(); i++) {
                measured.run(deadlineNs);
            }
            final UnsafeBuffer took = new UnsafeBuffer(new byte[test.calls() * Long.BYTES]);
            final long[] startNs = new long[test.calls()];
            for (int i = 0; i < test.calls(); i++) {
                barrier.run(deadlineNs);
                final long beginNs = System.nanoTime();
                measured.start();
                final long startedNs = System.nanoTime();
                measured.await(deadlineNs);
                took.putLong(i * Long.BYTES, System.nanoTime() - beginNs);
                startNs[i] = startedNs - beginNs;
            }
            final Call slowest = Call.allreduce(took.capacity(), Reduction.of(ElementType.LONG, Operator.MAXIMUM));
            world.run(slowest, took, 0, took, 0, deadlineNs);
            barrier.run(deadlineNs);
            final long beginNs = System.nanoTime();
            for (int i = 0; i < test.calls(); i++) {
                measured.run(deadlineNs);
            }
            final double eachNs = (System.nanoTime() - beginNs) / (double) test.calls();
            if (isLast && world.self() == 0) {
                print(test, algorithm, took, new double[] {eachNs, median(startNs) - clockNs()});
            }
        }
    }

    private static void print(CollectiveTest test, String algorithm, UnsafeBuffer took, double[] others) {
        final long[] sorted = new long[test.calls()];
        Arrays.setAll(sorted, i -> took.getLong(i * Long.BYTES));
        System.out.printf(
                Locale.ROOT,
                "%s %d %d %.0f %.0f %s%n",
                test.name(),
                test.bytes(),
                median(sorted),
                others[0],
                others[1],
                algorithm);
    }

    /** Returns the median difference of two successive readings of the clock. */
    private static long clockNs() {
        final long[] took = new long[CLOCKS];
        for (int i = 0; i < CLOCKS; i++) {
            final long beginNs = System.nanoTime();
            took[i] = System.nanoTime() - beginNs;
        }
        return median(took);
    }

    private static long median(long[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
