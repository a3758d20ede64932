package org.segno.demo.halo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;

/** Job with ranks that are threads of this JVM, with nodes over mapped files. */
public final class ThreadedJob {
    private static final long LIMIT_SECONDS = 120;

    private ThreadedJob() {}

    /**
     * Joins all ranks, runs {@code work} on each of them at once, and closes the nodes.
     *
     * @return the results of the ranks, in their order
     */
    public static <T> List<T> run(Path directory, int size, long windowBytes, Function<Node, T> work) throws Exception {
        return run(directory, size, NodeConfig.defaults().withWindowBytes(windowBytes), work);
    }

    /** Runs {@code work} on nodes with other settings. */
    public static <T> List<T> run(Path directory, int size, NodeConfig config, Function<Node, T> work)
            throws Exception {
        final List<JobConfig> ranks = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            ranks.add(JobConfig.of("demo", rank, size)
                    .withDirectory(directory)
                    .withJoinTimeout(Duration.ofSeconds(LIMIT_SECONDS)));
        }
        final List<Node> nodes = Node.joinAll(ranks, config.withThreading(NodeConfig.Threading.INVOKER));
        final ExecutorService threads = Executors.newFixedThreadPool(size);
        try {
            final List<Future<T>> running = new ArrayList<>();
            for (final Node node : nodes) {
                running.add(threads.submit(() -> work.apply(node)));
            }
            return results(running);
        } finally {
            nodes.forEach(Node::close);
            threads.shutdown();
        }
    }

    private static <T> List<T> results(List<Future<T>> running) throws Exception {
        final List<T> results = new ArrayList<>();
        for (final Future<T> rank : running) {
            try {
                results.add(rank.get(LIMIT_SECONDS, TimeUnit.SECONDS));
            } catch (final ExecutionException e) {
                throw new AssertionError("rank " + results.size(), e.getCause());
            }
        }
        return results;
    }
}
