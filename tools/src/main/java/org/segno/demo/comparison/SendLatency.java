package org.segno.demo.comparison;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.demo.halo.RetryingCalls;
import org.segno.demo.solver.SharedTime;
import org.segno.demo.solver.Sums;
import org.segno.status.Status;

/**
 * One-way time of a single SEND of eight bytes, as a reference for messages that are sent one by one.
 *
 * <p>It is half a round trip between two ranks. A rank without a peer sends to itself and back. The reference must
 * not be slower than the messages that are compared with it. Used by one thread.
 */
final class SendLatency {
    private static final int DISPATCH = 2;
    private static final int ROUND_TRIPS = 64;

    /** Limit of blocks, large enough for the compiler to finish during the first half; only the second half counts. */
    private static final int MOST_BLOCKS = 512;

    private static final long LIMIT_NS = 1_000_000_000L;

    private static final int FAST = 10;

    private final Context context;
    private final int peer;
    private final UnsafeBuffer word = new UnsafeBuffer(new byte[Long.BYTES]);
    private final BooleanSupplier reply = this::hasReceived;
    private long received;
    private long awaited;

    SendLatency(Context context) {
        this.context = context;
        this.peer = (context.rank() ^ 1) < context.ranks() ? context.rank() ^ 1 : context.rank();
        context.handler(DISPATCH, (source, buffer, metadata, metadataLength, payload, length) -> received++);
    }

    /**
     * Returns the nanoseconds of one way that one block in ten stays below. Every rank calls this; no rank sends before
     * all have a handler.
     */
    double measure(Sums sums) {
        context.barrier(RetryingCalls.deadlineNs());
        final boolean sendsFirst = peer >= context.rank();
        final long[] ns = new long[MOST_BLOCKS];
        final SharedTime time = SharedTime.begin(sums, LIMIT_NS);
        int blocks = 0;
        do {
            final long startNs = System.nanoTime();
            for (int i = 0; i < ROUND_TRIPS; i++) {
                if (sendsFirst) {
                    send();
                }
                receive();
                if (!sendsFirst || peer == context.rank()) {
                    send();
                }
                if (peer == context.rank()) {
                    receive();
                }
            }
            ns[blocks++] = System.nanoTime() - startNs;
        } while (blocks < MOST_BLOCKS && time.lasts());
        final long[] later = Arrays.copyOfRange(ns, blocks / 2, blocks);
        Arrays.sort(later);
        return later[later.length / FAST] / (2.0 * ROUND_TRIPS);
    }

    private void send() {
        while (context.sendImmediate(peer, DISPATCH, word, 0, Long.BYTES) == Status.BACK_PRESSURED) {
            context.advance();
        }
    }

    private void receive() {
        awaited++;
        context.await(reply, RetryingCalls.deadlineNs());
    }

    private boolean hasReceived() {
        return received >= awaited;
    }
}
