package org.segno.bench.jmh;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;

/**
 * Profiler of the threading of the nodes that a benchmark has joined. It runs in the benchmark's JVM, where the nodes
 * report their threading, and adds it to the results.
 */
public final class EngineMode implements InternalProfiler {
    /** Start of the label of a result. The threading follows. */
    private static final String LABEL = "threading ";

    private static volatile @Nullable Threading joined;

    /** Creates the profiler; called by JMH. */
    public EngineMode() {}

    /** Returns the nodes of a benchmark. Their threading is reported in its results. */
    public static List<Node> reported(List<Node> nodes) {
        joined = nodes.get(0).threading();
        return nodes;
    }

    /** Forgets the nodes of an earlier benchmark in this JVM. */
    static void reset() {
        joined = null;
    }

    /** Returns the threading in the secondary results of a benchmark, or null if it has joined no node. */
    static @Nullable Threading in(Map<String, ?> results) {
        return results.keySet().stream()
                .filter(label -> label.startsWith(LABEL))
                .map(label -> Threading.valueOf(label.substring(LABEL.length())))
                .findFirst()
                .orElse(null);
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        // The nodes join before the first iteration.
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        final Threading mode = joined;
        return mode == null ? List.of() : List.of(new ScalarResult(LABEL + mode, 1, "", AggregationPolicy.MAX));
    }

    @Override
    public String getDescription() {
        return "threading of the joined nodes";
    }
}
