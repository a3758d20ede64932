package org.segno.bench.segno;

import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.Role;
import org.segno.context.Context;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.Status;

/** Active messages whose handler replies by a message of the same length, which travels in the lane of replies. */
final class ReplyExchange implements Exchange {
    private static final int REQUEST_ID = 2;
    private static final int REPLY_ID = 1;
    private static final int LINE_LENGTH = 64;

    private final NodeEnd ends;
    private final Context context;
    private final UnsafeBuffer immediate = new UnsafeBuffer(new byte[SendExchange.IMMEDIATE_LENGTH]);
    private final Message message = new Message();
    private final ReadingHandler replies = new ReadingHandler();
    private final int size;
    private long handled;
    private long awaited;
    private long sum;

    private ReplyExchange(Role role, NodeEnd ends, int size) {
        this.ends = ends;
        this.context = ends.context();
        this.size = size;
        message.payload(ends.outgoing(), 0, size);
        if (role == Role.ORIGIN) {
            message.to(ends.peer(), REQUEST_ID);
            context.handler(REPLY_ID, replies);
        } else {
            context.replyingHandler(REQUEST_ID, this::onRequest);
        }
    }

    static ReplyExchange open(Role role, Path directory, Threading threading, int size) {
        return new ReplyExchange(role, NodeEnd.open(role, directory, threading, NodeConfig.defaults(), 4096), size);
    }

    private long onRequest(
            long origin, DirectBuffer buffer, int metadataOffset, int metadataLength, int offset, int length) {
        final long result = size <= SendExchange.IMMEDIATE_LENGTH
                ? context.sendImmediate(origin, REPLY_ID, immediate, 0, size)
                : context.send(message.to(origin, REPLY_ID));
        if (result >= 0) {
            handled++;
            for (int at = 0; at <= length - Long.BYTES; at += LINE_LENGTH) {
                sum += buffer.getLong(offset + at);
            }
        }
        return result;
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            while (inject() == Status.BACK_PRESSURED) {
                context.advance();
            }
            awaited++;
            int spins = 0;
            int done = context.advance(1);
            while (replies.received() < awaited) {
                spins = ends.pause(done, spins);
                done = context.advance(1);
            }
        }
    }

    private long inject() {
        return size <= SendExchange.IMMEDIATE_LENGTH
                ? context.sendImmediate(ends.peer(), REQUEST_ID, immediate, 0, size)
                : context.send(message);
    }

    @Override
    public void reply(int roundTrips) {
        awaited += roundTrips;
        int spins = 0;
        // The last reply is sent when the FIFO of replies is empty.
        while (handled < awaited || !context.isDrained()) {
            spins = ends.pause(context.advance(1), spins);
        }
    }

    NodeEnd ends() {
        return ends;
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum + replies.sum();
    }

    @Override
    public void close() {
        ends.close();
    }
}
