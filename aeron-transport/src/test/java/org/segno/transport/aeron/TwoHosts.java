package org.segno.transport.aeron;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.segno.engine.job.HostHub;
import org.segno.engine.job.Hub;
import org.segno.engine.job.HubAddress;
import org.segno.engine.job.HubCall;
import org.segno.engine.job.HubNetwork;
import org.segno.engine.job.JobDirectory;
import org.segno.engine.job.JobSecret;
import org.segno.engine.job.JobSettings;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;

/**
 * A job of two hosts in this process: each has a directory, a hub and ranks that map each other's memory. Links over
 * Aeron join the ranks of one to those of the other.
 */
final class TwoHosts implements AutoCloseable {
    /** Ranks of each host. */
    static final int LOCAL_SIZE = 2;

    /** Ranks of the job: those of the first host come first. */
    static final int SIZE = 2 * LOCAL_SIZE;

    private static final String JOB = "hosts-00000000000000ae";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Hub hub;
    private final HostHub hostHub;
    private final List<Node> nodes = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Body of a rank. */
    @FunctionalInterface
    interface Body {
        void run(Node node) throws Exception;
    }

    /** Joins all ranks, those of each host by a thread of its own. */
    TwoHosts(Path first, Path second, NodeConfig config) throws Exception {
        final JobSecret secret = JobSecret.random();
        final HubNetwork network = new HubNetwork(
                new HubAddress(InetAddress.getLoopbackAddress(), 0, 0), secret, HubNetwork.DEFAULT_SILENCE);
        hub = Hub.start(directory(first), SIZE, false, new Hub.Listener() {}, network);
        hostHub = HostHub.start(
                directory(second),
                SIZE,
                false,
                new HubCall(
                        List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), hub.port())),
                        secret,
                        HubNetwork.DEFAULT_SILENCE,
                        TIMEOUT),
                new Hub.Listener() {});
        final List<Future<List<Node>>> joined = List.of(
                threads.submit(() -> Node.joinAll(ranks(first, 0), config)),
                threads.submit(() -> Node.joinAll(ranks(second, LOCAL_SIZE), config)));
        for (final Future<List<Node>> host : joined) {
            nodes.addAll(host.get());
        }
    }

    private static JobDirectory directory(Path parent) {
        return JobDirectory.create(new JobSettings(JOB, 0, SIZE, parent, false, true, null));
    }

    private static List<JobConfig> ranks(Path parent, int first) {
        final List<JobConfig> ranks = new ArrayList<>();
        for (int local = 0; local < LOCAL_SIZE; local++) {
            ranks.add(JobConfig.of(JOB, first + local, SIZE)
                    .withLocal(local, LOCAL_SIZE)
                    .withDirectory(parent)
                    .withJoinTimeout(TIMEOUT));
        }
        return ranks;
    }

    /** Returns a deadline that only a hanging test reaches. */
    static long deadline() {
        return Deadline.in(60, TimeUnit.SECONDS);
    }

    Node node(int rank) {
        return nodes.get(rank);
    }

    /** Ends the hub of the second host: for the first one, its ranks are dead. */
    void loseSecondHost() {
        hostHub.close();
    }

    /** Runs a body for every rank on a thread of its own, and throws the first exception of any of them. */
    void onThreads(Body body) throws Exception {
        final List<Future<?>> ends = new ArrayList<>();
        for (final Node node : nodes) {
            ends.add(threads.submit(() -> {
                body.run(node);
                return node;
            }));
        }
        for (final Future<?> end : ends) {
            try {
                end.get(120, TimeUnit.SECONDS);
            } catch (final ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }
    }

    @Override
    public void close() {
        final List<Future<?>> ends = new ArrayList<>();
        // Ranks wait for each other's engines as they close.
        nodes.forEach(node -> ends.add(threads.submit(node::close)));
        try {
            for (final Future<?> end : ends) {
                end.get(60, TimeUnit.SECONDS);
            }
        } catch (final Exception e) {
            throw new AssertionError(e);
        } finally {
            hostHub.close();
            hub.close();
            threads.shutdownNow();
        }
    }
}
