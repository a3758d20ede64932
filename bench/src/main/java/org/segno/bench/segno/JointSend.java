package org.segno.bench.segno;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.Requester;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.Spin;
import org.segno.context.Context;
import org.segno.operation.Message;
import org.segno.status.Status;

/**
 * Active messages between two ranks of one application thread: immediate ones up to 32 bytes, longer ones from a
 * window. The handler reads one word of every line.
 */
final class JointSend implements Requester {
    private static final int IMMEDIATE_LENGTH = 32;
    private static final int LINE_LENGTH = 64;
    private static final int ADVANCE_EVERY = 64;

    private final JointPair pair;
    private final Context[] contexts = new Context[2];
    private final Message[] messages = {new Message(), new Message()};
    private final UnsafeBuffer immediate = new UnsafeBuffer(new byte[IMMEDIATE_LENGTH]);
    private final int dispatchId;
    private final int size;
    private long received;
    private long awaited;
    private long sum;

    private JointSend(JointPair pair, int size) {
        this.pair = pair;
        this.dispatchId = pair.user();
        this.size = size;
        for (int rank = 0; rank < contexts.length; rank++) {
            final JointPair.End end = pair.end(rank);
            contexts[rank] = end.context();
            contexts[rank].handler(dispatchId, this::onMessage);
            messages[rank].to(1 - rank, dispatchId).payload(end.outgoing(), 0, size);
        }
    }

    /** Returns the measurement of one way, half of a round trip. */
    static Side latency(JointPair pair, int size) {
        return pair.gated(LatencySide.requesting(new JointSend(pair, size)));
    }

    /** Returns the measurement of a stream from rank 0 to rank 1. */
    static Side rate(JointPair pair, int size) {
        return pair.gated(new Rate(new JointSend(pair, size)));
    }

    private void onMessage(
            long origin, DirectBuffer buffer, int metadataOffset, int metadataLength, int offset, int length) {
        received++;
        for (int at = 0; at <= length - Long.BYTES; at += LINE_LENGTH) {
            sum += buffer.getLong(offset + at);
        }
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            send(0);
            pair.serve(0);
            receive(1, 1);
            send(1);
            pair.serve(1);
            receive(0, 1);
        }
    }

    private void send(int rank) {
        while (inject(rank) == Status.BACK_PRESSURED) {
            pair.serve(rank);
            contexts[1 - rank].advance();
        }
    }

    private long inject(int rank) {
        return size <= IMMEDIATE_LENGTH
                ? contexts[rank].sendImmediate(1 - rank, dispatchId, immediate, 0, size)
                : contexts[rank].send(messages[rank]);
    }

    private void receive(int rank, int count) {
        awaited += count;
        final Context context = contexts[rank];
        int spins = 0;
        while (received < awaited) {
            spins = context.advance() == 0 ? Spin.pause(spins) : 0;
            if (received < awaited) {
                pair.serve(1 - rank);
            }
        }
    }

    private void stream(int count) {
        for (int i = 1; i <= count; i++) {
            send(0);
            if (i % ADVANCE_EVERY == 0) {
                pair.serve(0);
                contexts[1].advance();
            }
        }
        receive(1, count);
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }

    @Override
    public void close() {
        pair.close();
    }

    /** Time for each message of a stream, until the last one has been handled. */
    private record Rate(JointSend sends) implements Side {
        @Override
        public void slice(int operations, SliceFigures figures) {
            final long beginNs = System.nanoTime();
            sends.stream(operations);
            figures.set(0, (System.nanoTime() - beginNs) / (double) operations);
        }

        @Override
        public void close() {
            sends.close();
        }
    }
}
