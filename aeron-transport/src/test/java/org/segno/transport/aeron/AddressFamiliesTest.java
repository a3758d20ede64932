package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
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
import org.segno.status.SegnoException;

/** Hosts that reach the hub of their job by addresses of different families, which no link can join. */
@Timeout(120)
class AddressFamiliesTest {
    private static final String JOB = "families-00000000000000ae";
    private static final List<String> ADDRESSES = List.of("127.0.0.1", "::1");
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final JobSecret secret = JobSecret.random();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<HostHub> hosts = new ArrayList<>();

    @TempDir
    Path parent;

    @Test
    void shouldFailTheJoinByBothAddressesAndTheRemedy() throws Exception {
        assumeTrue(NetworkInterface.getByInetAddress(InetAddress.getAllByName("::1")[0]) != null, "no IPv6");
        final HubNetwork network = new HubNetwork(HubAddress.ANY, secret, HubNetwork.DEFAULT_SILENCE);
        final Path here = Files.createDirectory(parent.resolve("hub"));
        final Hub hub = Hub.start(directory(here), ADDRESSES.size(), true, new Hub.Listener() {}, network);
        try {
            final List<Future<Node>> joins = new ArrayList<>();
            for (int rank = 0; rank < ADDRESSES.size(); rank++) {
                final JobConfig job = host(rank, hub.port());
                joins.add(threads.submit(() -> Node.join(job, NodeConfig.defaults())));
            }
            final List<String> messages = new ArrayList<>();
            for (final Future<Node> join : joins) {
                messages.add(failure(join).getMessage());
            }
            // The second one may only see that the first one has left.
            assertThat(messages)
                    .anySatisfy(message ->
                            assertThat(message).contains(" at 127.0.0.1", " at 0:0:0:0:0:0:0:1", "SEGNO_NET (--net)"));
        } finally {
            hosts.forEach(HostHub::close);
            hub.close();
            threads.shutdownNow();
        }
    }

    /** Starts the hub of a host that calls the job's hub at an address of its own, and returns the job of its rank. */
    private JobConfig host(int rank, int port) throws Exception {
        final Path directory = Files.createDirectory(parent.resolve("host-" + rank));
        final InetSocketAddress hub = new InetSocketAddress(InetAddress.getAllByName(ADDRESSES.get(rank))[0], port);
        hosts.add(HostHub.start(
                directory(directory),
                ADDRESSES.size(),
                true,
                new HubCall(List.of(hub), secret, HubNetwork.DEFAULT_SILENCE, TIMEOUT),
                new Hub.Listener() {}));
        return JobConfig.of(JOB, rank, ADDRESSES.size())
                .withLocal(0, 1)
                .withLaunched(true)
                .withDirectory(directory)
                .withJoinTimeout(TIMEOUT);
    }

    private static JobDirectory directory(Path parent) {
        return JobDirectory.create(new JobSettings(JOB, 0, ADDRESSES.size(), parent, false, true, null));
    }

    private static SegnoException failure(Future<Node> join) throws Exception {
        try (Node joined = join.get()) {
            throw new AssertionError("joined as rank " + joined.rank());
        } catch (final ExecutionException e) {
            if (e.getCause() instanceof SegnoException failure) {
                return failure;
            }
            throw e;
        }
    }
}
