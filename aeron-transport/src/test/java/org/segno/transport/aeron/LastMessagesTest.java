package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Closing;
import org.segno.node.ClientConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

/** Ranks and clients that close right after their last send: each of their messages arrives at the other host. */
@Tag("long")
@Timeout(300)
class LastMessagesTest {
    private static final int JOBS = 10;
    private static final int CLIENTS = 50;
    private static final int HANDLER = 1;

    @TempDir
    Path directory;

    private static NodeConfig config(Threading threading) {
        return NodeConfig.defaults().withWindowBytes(1 << 16).withContexts(2).withThreading(threading);
    }

    @ParameterizedTest
    @EnumSource(
            value = Threading.class,
            names = {"INVOKER", "DEDICATED"})
    void shouldDeliverTheLastMessagesOfARankThatLeaves(Threading threading) throws Exception {
        for (int i = 0; i < JOBS; i++) {
            // From none that waits for room to more than a FIFO and a lane hold.
            final int count = 1 + i * 400;
            try (TwoHosts job = job("job-" + i, threading)) {
                job.onThreads(node -> {
                    final AtomicLong received = receive(node.client().context());
                    final long peer = peer(node, node.client());
                    node.client().context().barrier(TwoHosts.deadline());
                    if (node.rank() < TwoHosts.LOCAL_SIZE) {
                        send(node.client().context(), peer, count);
                        node.close();
                    } else {
                        node.client().context().await(() -> received.get() == count, TwoHosts.deadline());
                    }
                });
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Threading.class,
            names = {"INVOKER", "DEDICATED"})
    void shouldDeliverTheLastMessagesOfClientsThatAreClosed(Threading threading) throws Exception {
        try (TwoHosts job = job("job", threading)) {
            job.onThreads(LastMessagesTest::openAndClose);
        }
    }

    private static void openAndClose(Node node) {
        final List<String> counts = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            final int count = 1 + i * 20;
            final Client client = node.openClient(ClientConfig.named("phase").withWindowBytes(4096));
            final AtomicLong received = receive(client.context());
            final long peer = peer(node, client);
            client.context().barrier(TwoHosts.deadline());
            if (node.rank() < TwoHosts.LOCAL_SIZE) {
                send(client.context(), peer, count);
            } else {
                client.context().await(() -> received.get() == count, TwoHosts.deadline());
            }
            final Closing end = client.close();
            node.client().await(end, node.client().context(), TwoHosts.deadline());
            // No rank finds the client of a slower one that it has not closed yet.
            node.client().context().barrier(TwoHosts.deadline());
            counts.add(i + ": " + received);
        }
        assertThat(counts).hasSize(CLIENTS);
    }

    /** Counts the messages that arrive in their order. */
    private static AtomicLong receive(Context context) {
        final AtomicLong received = new AtomicLong();
        context.handler(HANDLER, (origin, buffer, metadata, metadataLength, payload, payloadLength) -> {
            if (buffer.getLong(payload) == received.get()) {
                received.incrementAndGet();
            }
        });
        return received;
    }

    /** Returns the endpoint of the rank in the same place of the other host. */
    private static long peer(Node node, Client client) {
        return client.endpoint((node.rank() + TwoHosts.LOCAL_SIZE) % TwoHosts.SIZE, 0, TwoHosts.deadline());
    }

    private static void send(Context context, long peer, int count) {
        final UnsafeBuffer number = new UnsafeBuffer(new byte[Long.BYTES]);
        for (long i = 0; i < count; i++) {
            number.putLong(0, i);
            if (context.sendImmediate(peer, HANDLER, number, 0, Long.BYTES) < 0) {
                context.await(
                        () -> context.sendImmediate(peer, HANDLER, number, 0, Long.BYTES) >= 0, TwoHosts.deadline());
            }
        }
    }

    private TwoHosts job(String name, Threading threading) throws Exception {
        final Path first = Files.createDirectories(directory.resolve(name + "/first"));
        final Path second = Files.createDirectories(directory.resolve(name + "/second"));
        return new TwoHosts(first, second, config(threading));
    }
}
