package org.segno.tools.run;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.engine.job.Platform;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;

/**
 * Rank that sends numbered messages to the rank half a job away, which is on the other host of two, for a time. It
 * checks that it receives all messages of its own sender, in order. Arguments: seconds of sending, and optionally the
 * rank that computes instead for its first seconds, without a call of Segno, and their number.
 */
final class StreamingRank {
    static final int SAW_A_DEATH = 7;

    private static final int NUMBER = 1;
    private static final int TOTAL = 2;
    private static final long LIMIT_S = 120;
    private static final int BURST = 64;

    private final AtomicLong received = new AtomicLong();
    private final AtomicLong misplaced = new AtomicLong();
    private final AtomicLong total = new AtomicLong(-1);
    private final UnsafeBuffer number = new UnsafeBuffer(new byte[Long.BYTES]);
    private final Node node;
    private final Context context;

    private StreamingRank(Node node) {
        this.node = node;
        this.context = node.client().context();
    }

    public static void main(String[] arguments) {
        final long sendNs = TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[0]));
        try (Node node = Node.join(JobConfig.fromEnvironment(), NodeConfig.defaults())) {
            final boolean computes = arguments.length > 1 && Integer.parseInt(arguments[1]) == node.rank();
            final long computeNs = computes ? TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[2])) : 0;
            new StreamingRank(node).run(sendNs, computeNs);
        } catch (final PeerFailedException e) {
            System.err.println("rank " + e.rank() + " failed");
            System.exit(SAW_A_DEATH);
        }
    }

    private void run(long sendNs, long computeNs) {
        final Client client = node.client();
        context.handler(NUMBER, (origin, buffer, metadata, metadataLength, payload, payloadLength) -> {
            if (buffer.getLong(payload) != received.getAndIncrement()) {
                misplaced.incrementAndGet();
            }
        });
        context.handler(
                TOTAL,
                (origin, buffer, metadata, metadataLength, payload, payloadLength) ->
                        total.set(buffer.getLong(payload)));
        context.barrier(deadline());
        final long peer = client.endpoint((node.rank() + node.size() / 2) % node.size(), 0, deadline());
        context.barrier(deadline());
        System.out.println(Platform.pid());
        compute(computeNs);
        final long sent = send(peer, sendNs);
        number.putLong(0, sent);
        context.await(() -> context.sendImmediate(peer, TOTAL, number, 0, Long.BYTES) >= 0, deadline());
        context.await(() -> received.get() == total.get(), deadline());
        context.barrier(deadline());
        System.out.println("received " + (misplaced.get() == 0 && sent > 0 ? "all" : misplaced + " misplaced"));
    }

    private static void compute(long computeNs) {
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < computeNs) {
            Thread.onSpinWait();
        }
    }

    private long send(long peer, long sendNs) {
        final long startNs = System.nanoTime();
        long sent = 0;
        while (System.nanoTime() - startNs < sendNs) {
            number.putLong(0, sent);
            if (context.sendImmediate(peer, NUMBER, number, 0, Long.BYTES) >= 0) {
                sent++;
                if (sent % BURST != 0) {
                    continue;
                }
            }
            context.advance();
        }
        return sent;
    }

    private static long deadline() {
        return Deadline.in(LIMIT_S, TimeUnit.SECONDS);
    }
}
