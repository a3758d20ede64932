package org.segno.bench.segno;

import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Stream;
import org.segno.context.Context;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.Status;

/**
 * Active messages: immediate ones up to 32 bytes, longer ones from a window. The handler reads one word of every line.
 *
 * <p>Streams inject one by one and advance every {@value #ADVANCE_EVERY} messages.
 */
final class SendExchange implements Exchange, Stream {
    static final int DISPATCH_ID = 1;
    static final int IMMEDIATE_LENGTH = 32;
    private static final int ADVANCE_EVERY = 64;

    private final NodeEnd ends;
    private final Context context;
    private final UnsafeBuffer immediate = new UnsafeBuffer(new byte[IMMEDIATE_LENGTH]);
    private final Message message = new Message();
    private final int size;
    private final int dispatchId;
    private final ReadingHandler handler = new ReadingHandler();
    private long awaited;

    private SendExchange(NodeEnd ends, int size) {
        this.ends = ends;
        this.context = ends.context();
        this.size = size;
        this.dispatchId = DISPATCH_ID + ends.users() - 1;
        message.to(ends.peer(), dispatchId).payload(ends.outgoing(), 0, size);
        context.handler(dispatchId, handler);
    }

    static SendExchange open(Role role, Path directory, Threading threading, int size) {
        return over(NodeEnd.open(role, directory, threading, NodeConfig.defaults(), 4096), size);
    }

    /** Registers the handler, one for each user of the ends. The harness opens both sides before one of them sends. */
    static SendExchange over(NodeEnd ends, int size) {
        return new SendExchange(ends, size);
    }

    @Override
    public void prepare() {}

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            sendOne();
            receive();
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            receive();
            sendOne();
        }
    }

    private void sendOne() {
        while (inject() == Status.BACK_PRESSURED) {
            context.advance();
        }
        context.advance();
    }

    private long inject() {
        return size <= IMMEDIATE_LENGTH
                ? context.sendImmediate(ends.peer(), dispatchId, immediate, 0, size)
                : context.send(message);
    }

    private void receive() {
        awaited++;
        int spins = 0;
        while (handler.received() < awaited) {
            spins = ends.pause(context.advance(1), spins);
        }
    }

    @Override
    public void send(int messages) {
        for (int i = 1; i <= messages; i++) {
            while (inject() == Status.BACK_PRESSURED) {
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

    @Override
    public void receive(int messages) {
        awaited += messages;
        int spins = 0;
        while (handler.received() < awaited) {
            spins = ends.pause(context.advance(), spins);
        }
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return handler.sum();
    }

    NodeEnd ends() {
        return ends;
    }

    @Override
    public void close() {
        ends.close();
    }
}
