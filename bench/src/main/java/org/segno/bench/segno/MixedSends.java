package org.segno.bench.segno;

import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.MixedLengths;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Stream;
import org.segno.context.Context;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.Status;

/** Stream of active messages of mixed lengths: immediate ones up to 32 bytes, longer ones from a window. */
final class MixedSends implements Stream {
    private static final int ADVANCE_EVERY = 64;

    private final NodeEnd ends;
    private final Context context;
    private final UnsafeBuffer immediate = new UnsafeBuffer(new byte[SendExchange.IMMEDIATE_LENGTH]);
    private final Message message = new Message();
    private final MixedLengths lengths = new MixedLengths();
    private final ReadingHandler handler = new ReadingHandler();
    private long awaited;

    private MixedSends(NodeEnd ends) {
        this.ends = ends;
        this.context = ends.context();
        message.to(ends.peer(), SendExchange.DISPATCH_ID);
        context.handler(SendExchange.DISPATCH_ID, handler);
    }

    static MixedSends open(Role role, Path directory, Threading threading) {
        return new MixedSends(NodeEnd.open(role, directory, threading, NodeConfig.defaults(), 4096));
    }

    @Override
    public void send(int messages) {
        for (int i = 1; i <= messages; i++) {
            final int length = lengths.next();
            while (inject(length) == Status.BACK_PRESSURED) {
                ends.pause(context.advance(), 0);
            }
            if (i % ADVANCE_EVERY == 0) {
                context.advance();
            }
        }
        while (!context.isDrained()) {
            ends.pause(context.advance(), 0);
        }
    }

    private long inject(int length) {
        return length <= SendExchange.IMMEDIATE_LENGTH
                ? context.sendImmediate(ends.peer(), SendExchange.DISPATCH_ID, immediate, 0, length)
                : context.send(message.payload(ends.outgoing(), 0, length));
    }

    @Override
    public void receive(int messages) {
        awaited += messages;
        int spins = 0;
        while (handler.received() < awaited) {
            spins = ends.pause(context.advance(), spins);
        }
    }

    NodeEnd ends() {
        return ends;
    }

    @Override
    public void close() {
        ends.close();
    }
}
