package org.segno.transport.aeron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.memory.SmallFileSystem;
import org.segno.memory.ReceptionCounter;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;

/** Links that fail while the ranks at both ends live: both of them learn it by the name of the other one. */
@Timeout(240)
class LostLinksTest {
    private static final int HANDLER = 1;
    private static final int MESSAGES = 1_000;
    private static final int MEGABYTES = 96;

    @TempDir
    Path first;

    @TempDir
    Path second;

    private static NodeConfig config(Threading threading) {
        return NodeConfig.defaults()
                .withWindowBytes(1 << 16)
                .withThreading(threading)
                .withTransport("shm", EndingTransport.NAME);
    }

    private static int peer(int rank) {
        return (rank + TwoHosts.LOCAL_SIZE) % TwoHosts.SIZE;
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndWaitsAtBothEndsByNameWhenADriverHasEnded(Threading threading) throws Exception {
        final CountDownLatch ready = new CountDownLatch(TwoHosts.SIZE);
        final CountDownLatch linked = new CountDownLatch(TwoHosts.SIZE);
        final CountDownLatch failed = new CountDownLatch(TwoHosts.SIZE);
        try (TwoHosts job = new TwoHosts(first, second, config(threading))) {
            job.onThreads(node -> {
                final AtomicLong received = receive(node);
                meet(node, ready);
                exchange(node, received, MESSAGES);
                meet(node, linked);
                if (node.rank() == 3) {
                    EndingTransport.endDriver(second);
                }
                requireFailure(node);
                meet(node, failed);
            });
        }
    }

    @Test
    void shouldEndWaitsAtBothEndsByNameWhenThereIsNoRoomForALinkAndKeepTheOthers() throws Exception {
        final Path small = Files.createDirectory(second.resolve("small"));
        final CountDownLatch ready = new CountDownLatch(TwoHosts.SIZE);
        final CountDownLatch linked = new CountDownLatch(TwoHosts.SIZE);
        final CountDownLatch exchanged = new CountDownLatch(TwoHosts.SIZE);
        final CountDownLatch failed = new CountDownLatch(TwoHosts.SIZE);
        try (SmallFileSystem files = SmallFileSystem.mount(small, MEGABYTES);
                TwoHosts job = new TwoHosts(first, small, config(Threading.INVOKER))) {
            final long end = LinkSpace.ofEnd(LinkSizes.MAX_MTU);
            assertThat(files.usable()).isGreaterThan(2 * end);
            final Path filling = FileFilling.fill(small, end + end / 2);
            job.onThreads(node -> {
                final boolean isFirst = node.rank() % TwoHosts.LOCAL_SIZE == 0;
                final AtomicLong received = receive(node);
                meet(node, ready);
                if (isFirst) {
                    exchange(node, received, MESSAGES);
                }
                meet(node, linked);
                if (!isFirst) {
                    requireFailure(node);
                }
                meet(node, failed);
                if (isFirst) {
                    exchange(node, received, 2 * MESSAGES);
                }
                meet(node, exchanged);
            });
            Files.delete(filling);
        }
    }

    /** Waits until all ranks have come here, and serves them meanwhile. A wait would fail once a link has. */
    private static void meet(Node node, CountDownLatch latch) {
        final long deadlineNs = TwoHosts.deadline();
        latch.countDown();
        while (latch.getCount() > 0) {
            assertThat(Deadline.reached(deadlineNs)).isFalse();
            node.client().context().advance();
        }
    }

    /** Counts the messages that arrive. */
    private static AtomicLong receive(Node node) {
        final AtomicLong received = new AtomicLong();
        node.client()
                .context()
                .handler(
                        HANDLER,
                        (origin, buffer, metadata, metadataLength, payload, length) -> received.incrementAndGet());
        return received;
    }

    /** Sends messages to the peer, and waits until {@code total} have been received. */
    private static void exchange(Node node, AtomicLong received, long total) {
        final Context context = node.client().context();
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);
        for (int i = 0; i < MESSAGES; i++) {
            context.await(
                    () -> context.sendImmediate(peer(node.rank()), HANDLER, bytes, 0, Long.BYTES) >= 0,
                    TwoHosts.deadline());
        }
        context.await(() -> received.get() == total, TwoHosts.deadline());
    }

    /** Waits for bytes of the peer, and for its names. */
    private static void requireFailure(Node node) {
        final Client client = node.client();
        final int peer = peer(node.rank());
        assertThatThrownBy(() -> client.context().attach(peer, "absent", TwoHosts.deadline()))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("the link to rank " + peer + " has failed");
        final ReceptionCounter in = client.receptionCounter(client.window(64), 0, 64, peer);
        in.expect(8);
        assertThatThrownBy(() -> client.context().await(in, TwoHosts.deadline()))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("the link to rank " + peer + " has failed");
        assertThat(node.peerState(peer)).isEqualTo(Node.PeerState.CUT);
    }
}
