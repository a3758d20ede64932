package org.segno.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.segno.context.Context;
import org.segno.status.Deadline;

/** A job whose nodes all live in this process, on this thread; closes them in order. */
public final class JobOfNodes implements AutoCloseable {
    private final List<Node> nodes;

    private JobOfNodes(List<Node> nodes) {
        this.nodes = nodes;
    }

    /** Joins {@code size} ranks in a job directory below {@code parent}. */
    public static JobOfNodes join(Path parent, int size, NodeConfig config) {
        final List<JobConfig> jobs = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            jobs.add(JobConfig.of("test-00000000000000aa", rank, size)
                    .withDirectory(parent)
                    .withJoinTimeout(Duration.ofSeconds(30)));
        }
        return new JobOfNodes(Node.joinAll(jobs, config));
    }

    public Node node(int rank) {
        return nodes.get(rank);
    }

    public Context context(int rank) {
        return nodes.get(rank).client().context();
    }

    /** A deadline that only a hanging test reaches. */
    public static long deadline() {
        return Deadline.in(30, java.util.concurrent.TimeUnit.SECONDS);
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

    @Override
    public void close() {
        nodes.forEach(Node::close);
    }
}
