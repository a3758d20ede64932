package org.segno.bench.segno;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.ConcurrentSenders;
import org.segno.bench.experiment.RateSide;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.Stream;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.Status;

/**
 * Stream of active messages of one of several ranks to the last rank. The senders are threads of one process, with a
 * node each; the receiver is the other process.
 */
final class ConcurrentSends implements Stream {
    private static final int ADVANCE_EVERY = 64;
    private static final int WINDOW_BYTES = 4096;

    private final Node node;
    private final Context context;
    private final int receiver;
    private final int size;
    private final UnsafeBuffer immediate = new UnsafeBuffer(new byte[SendExchange.IMMEDIATE_LENGTH]);
    private final Message message = new Message();
    private final ReadingHandler handler = new ReadingHandler();
    private long awaited;

    private ConcurrentSends(Node node, int receiver, int size) {
        this.node = node;
        this.context = node.client().context();
        this.receiver = receiver;
        this.size = size;
        final Window source = node.client().window(WINDOW_BYTES);
        message.to(receiver, SendExchange.DISPATCH_ID).payload(source, 0, size);
        context.handler(SendExchange.DISPATCH_ID, handler);
    }

    /**
     * Opens all senders at the origin, the receiver at the echo. Engines with threads share the core that their worker
     * has for them.
     */
    static Side open(Role role, Path directory, Threading threading, int senders, int size) throws IOException {
        final boolean atOrigin = role == Role.ORIGIN;
        final EngineGates gates = new EngineGates(threading);
        final NodeConfig config = NodeConfig.defaults()
                .withThreading(threading)
                .withIdle(gates::next)
                .withWindowBytes(2 * WINDOW_BYTES);
        final List<ConcurrentSends> ends =
                NodeEnd.join(directory, config, atOrigin ? 0 : senders, atOrigin ? senders : 1, senders + 1).stream()
                        .map(node -> new ConcurrentSends(node, senders, size))
                        .toList();
        return gates.gated(
                atOrigin
                        ? RateSide.sending(directory, new ConcurrentSenders(ends))
                        : RateSide.receiving(directory, ends.get(0)));
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    public void send(int messages) {
        for (int i = 1; i <= messages; i++) {
            while (inject() == Status.BACK_PRESSURED) {
                advance();
            }
            if (i % ConcurrentSenders.SENT_BETWEEN_YIELDS == 0) {
                context.advance();
                Thread.yield();
            } else if (i % ADVANCE_EVERY == 0) {
                context.advance();
            }
        }
        while (!context.isDrained()) {
            advance();
        }
    }

    private long inject() {
        return size <= SendExchange.IMMEDIATE_LENGTH
                ? context.sendImmediate(receiver, SendExchange.DISPATCH_ID, immediate, 0, size)
                : context.send(message);
    }

    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    private void advance() {
        if (context.advance() == 0) {
            Thread.yield();
        }
    }

    @Override
    public void receive(int messages) {
        awaited += messages;
        while (handler.received() < awaited) {
            advance();
        }
    }

    @Override
    public void close() {
        NodeEnd.close(List.of(node));
    }
}
