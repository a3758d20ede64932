package org.segno.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.status.Deadline;

/** Job of nodes that all run in this process, on this thread; closes them in order. */
public final class InProcessJob implements AutoCloseable {
    private final List<Node> nodes;

    private InProcessJob(List<Node> nodes) {
        this.nodes = nodes;
    }

    /** Joins {@code size} ranks in a job directory below {@code parent}. */
    public static InProcessJob join(Path parent, int size, NodeConfig config) {
        final List<JobConfig> jobs = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            jobs.add(JobConfig.of("test-00000000000000aa", rank, size)
                    .withDirectory(parent)
                    .withJoinTimeout(Duration.ofSeconds(30)));
        }
        return new InProcessJob(Node.joinAll(jobs, config));
    }

    /** Joins one rank for each configuration: nodes of one job need not be alike. */
    public static InProcessJob join(Path parent, List<NodeConfig> configs) {
        final List<NodeJoin> joinings = new ArrayList<>();
        for (int rank = 0; rank < configs.size(); rank++) {
            joinings.add(new NodeJoin(
                    JobConfig.of("test-00000000000000aa", rank, configs.size())
                            .withDirectory(parent)
                            .withJoinTimeout(Duration.ofSeconds(30)),
                    configs.get(rank)));
        }
        final List<Node> nodes = new ArrayList<>();
        try {
            joinings.forEach(NodeJoin::makeFile);
            joinings.forEach(NodeJoin::mapPeers);
            joinings.forEach(joining -> nodes.add(joining.finish()));
        } catch (final RuntimeException e) {
            joinings.forEach(NodeJoin::giveUp);
            throw e;
        }
        return new InProcessJob(nodes);
    }

    public Node node(int rank) {
        return nodes.get(rank);
    }

    public Context context(int rank) {
        return nodes.get(rank).client().context();
    }

    /** Returns a deadline that only a hanging test reaches. */
    public static long deadline() {
        return Deadline.in(30, TimeUnit.SECONDS);
    }

    /** Advances every node until all have nothing to do. */
    public void settle() {
        int work;
        do {
            work = 0;
            for (final Node node : nodes) {
                work += node.client().context().advance();
            }
        } while (work != 0);
    }

    /** Body of one rank's thread. */
    @FunctionalInterface
    public interface Body {
        void run(int rank) throws Exception;
    }

    /** Runs {@code body} for every rank on its own thread, and throws the first exception of any of them. */
    public void onThreads(Body body) throws Exception {
        final ExecutorService threads = Executors.newFixedThreadPool(nodes.size());
        final CompletionService<Void> ends = new ExecutorCompletionService<>(threads);
        try {
            for (int rank = 0; rank < nodes.size(); rank++) {
                final int self = rank;
                ends.submit(() -> {
                    body.run(self);
                    return null;
                });
            }
            for (int ended = 0; ended < nodes.size(); ended++) {
                ends.take().get();
            }
        } finally {
            // Ends the waits of those that are left when one has failed.
            nodes.forEach(node -> ContextAccess.close(node.client(), "the test is over"));
            threads.shutdown();
            if (!threads.awaitTermination(30, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        }
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
    }
}
