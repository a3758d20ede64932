package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.node.ClientConfig;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;

/** Two libraries in each of two processes, each with a client and a messenger of its own, on threads of their own. */
@OverMemoryAndLinks
class MessengerClientTest {
    private static final int LONGEST = 3_000;
    private static final int COUNT = 1_000;
    private static final int[] LENGTHS = {4, 100, 900, LONGEST};
    private static final List<String> NAMES = List.of("left", "right");

    @TempDir
    Path directory;

    @Test
    void shouldServeTheMessengersOfSeveralClientsAtOnce() throws Exception {
        final NodeConfig config = NodeConfig.defaults()
                .withThreading(Threading.INVOKER)
                .withContexts(3)
                .withWindowBytes(2 * TestMessenger.windowBytes(LONGEST) + 10_000);
        final ExecutorService threads = Executors.newFixedThreadPool(4);
        try (InProcessJob job = InProcessJob.join(directory, 2, config)) {
            final List<Future<?>> ends = new ArrayList<>();
            for (int rank = 0; rank < 2; rank++) {
                for (final String name : NAMES) {
                    final int own = rank;
                    // The order differs between the ranks.
                    final String client = NAMES.get(NAMES.indexOf(name) ^ rank);
                    final Client opened = job.node(rank)
                            .openClient(ClientConfig.named(client).withWindowBytes(TestMessenger.windowBytes(LONGEST)));
                    ends.add(threads.submit(() -> correspond(opened, 1 - own)));
                }
            }
            for (final Future<?> end : ends) {
                end.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void correspond(Client client, int peer) {
        final TestMessenger own = new TestMessenger(client, client.context(), LONGEST);
        final long endpoint = client.endpoint(peer, 0, InProcessJob.deadline());
        own.context.barrier(InProcessJob.deadline());
        // A base per client exposes messages that reach the wrong client.
        final long base = NAMES.indexOf(client.name()) * 1_000_000L;
        for (int number = 0; number < COUNT; number++) {
            own.numbered(endpoint, base + number, LENGTHS[number % LENGTHS.length]);
            while (own.messenger.send(own.message, own.noting("local"), own.noting("remote")) < 0) {
                own.context.advance();
            }
        }
        own.context.await(() -> own.received.size() == COUNT && own.ends.size() == 2 * COUNT, InProcessJob.deadline());
        own.context.barrier(InProcessJob.deadline());
        assertThat(own.called)
                .isEqualTo(LongStream.range(base, base + COUNT).boxed().toList());
        assertThat(own.ends).containsOnly("local", "remote");
    }
}
