package org.segno.bench.segno;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.ServedSide;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Status;

/**
 * Job of three ranks on two hosts, both of which are this one. The two measured ranks map each other's memory. Each has
 * a link over Aeron to the third one, in the origin's process, which was used once and is idle.
 */
final class MixedJob {
    private static final String JOB = "bench-00000000000000b9";
    private static final String NAME = "idle";
    private static final int SILENT = 2;
    private static final int RANKS = 3;
    private static final int SECRET_BYTES = 32;
    private static final int WINDOW_BYTES = 4096;

    private MixedJob() {}

    /** Opens one end of a ping-pong of PUTs over mapped memory. */
    static Side open(Role role, Path directory, int size) throws IOException {
        final NodeConfig config = NodeConfig.defaults().withThreading(Threading.INVOKER);
        final int rank = role == Role.ORIGIN ? 0 : 1;
        final JobConfig job =
                JobConfig.of(JOB, rank, RANKS).withLocal(rank, SILENT).withDirectory(directory);
        if (role == Role.ECHO) {
            return measure(role, directory, NodeEnd.join(job, config, 0, WINDOW_BYTES), size);
        }
        final InetSocketAddress hub = freeAddress();
        final Path secret = secret(directory);
        final SilentRank silent = SilentRank.start(
                JobConfig.of(JOB, SILENT, RANKS)
                        .withLocal(0, 1)
                        .withDirectory(Files.createDirectories(directory.resolve("other-host")))
                        .withHub(hub, secret),
                config);
        final Side side =
                measure(role, directory, NodeEnd.join(job.withHub(hub, secret), config, 1, WINDOW_BYTES), size);
        silent.rest();
        return new BesideSilent(side, silent);
    }

    /** Uses the link, so that it is made, and returns when both ends have. */
    private static Side measure(Role role, Path directory, NodeEnd ends, int size) throws IOException {
        final Context context = ends.context();
        final Target target = context.attach(SILENT, NAME, NodeEnd.deadline());
        while (context.put(target, 0, ends.outgoing(), 0, Long.BYTES) == Status.BACK_PRESSURED) {
            context.advance();
        }
        return ServedSide.of(
                role,
                directory,
                new GatedSide(new LatencySide(role, PutPingPong.over(ends, size)), ends),
                LinkedEnds.advancing(ends.context()));
    }

    private static InetSocketAddress freeAddress() throws IOException {
        final InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket socket = new ServerSocket(0, 1, loopback)) {
            return new InetSocketAddress(loopback, socket.getLocalPort());
        }
    }

    private static Path secret(Path directory) throws IOException {
        final Path file = Files.createFile(
                directory.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        // Both processes are this user's, on this host.
        return Files.writeString(file, "5e".repeat(SECRET_BYTES));
    }

    /** The third rank. A thread advances it until the others have used their links; then nobody does. */
    private static final class SilentRank implements AutoCloseable {
        private volatile boolean rests;
        private final CompletableFuture<Node> node;

        private SilentRank(JobConfig job, NodeConfig config) {
            // The other ranks only find that this one does not join.
            node = CompletableFuture.supplyAsync(() -> serve(Node.join(job, config.withWindowBytes(WINDOW_BYTES))))
                    .whenComplete((joined, failure) -> {
                        if (failure != null) {
                            failure.printStackTrace();
                        }
                    });
        }

        /** Joins in the background, because all ranks of a job join at the same time. */
        static SilentRank start(JobConfig job, NodeConfig config) {
            return new SilentRank(job, config);
        }

        @SuppressWarnings("ThreadPriorityCheck") // The measured rank has the same core.
        private Node serve(Node joined) {
            final Client client = joined.client();
            client.publish(
                    NAME,
                    client.receptionCounter(client.window(WINDOW_BYTES), 0, WINDOW_BYTES, ReceptionCounter.ANYBODY));
            while (!rests) {
                client.context().advance();
                Thread.yield();
            }
            return joined;
        }

        void rest() {
            rests = true;
            node.join();
        }

        @Override
        public void close() {
            node.join().close();
        }
    }

    /**
     * The side of the process with the third rank.
     *
     * @param side the measured side
     * @param silent the third rank
     */
    private record BesideSilent(Side side, SilentRank silent) implements Side {
        @Override
        public void enter() {
            side.enter();
        }

        @Override
        public void slice(int operations, SliceFigures figures) {
            side.slice(operations, figures);
        }

        @Override
        public void leave() {
            side.leave();
        }

        /** Closes both ranks at the same time, because each waits for the other one as it closes. */
        @Override
        public void close() {
            final CompletableFuture<Void> closed = CompletableFuture.runAsync(silent::close);
            side.close();
            closed.join();
        }
    }
}
