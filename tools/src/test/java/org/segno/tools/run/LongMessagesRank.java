package org.segno.tools.run;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.message.Completion;
import org.segno.message.Messenger;
import org.segno.message.ReceivedMessage;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.operation.Message;
import org.segno.status.Deadline;

/**
 * Rank that sends numbered messages of 1 MiB to the rank half a job away, which is on the other host of two. It checks
 * that all messages of its own sender arrive in their order, whole. Argument: number of messages.
 */
final class LongMessagesRank {
    private static final int HANDLER = 1;
    private static final int LENGTH = 1 << 20;

    /** Messages that are on their way at once. */
    private static final int DEPTH = 2;

    /** A message lands in a place that is taken again only after two others have landed. */
    private static final int PLACES = 2 * DEPTH;

    private static final long LIMIT_S = 120;

    private final int rank;
    private final int sender;
    private final Context context;
    private final Window source;
    private final Window landed;
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong wrong = new AtomicLong();

    private LongMessagesRank(Node node) {
        this.rank = node.rank();
        this.sender = (node.rank() + node.size() / 2) % node.size();
        this.context = node.client().context();
        this.source = node.client().window(PLACES * LENGTH);
        this.landed = node.client().window(PLACES * LENGTH);
    }

    public static void main(String[] arguments) {
        final NodeConfig config = NodeConfig.defaults().withWindowBytes(3L * PLACES * LENGTH);
        try (Node node = Node.join(JobConfig.fromEnvironment(), config)) {
            new LongMessagesRank(node).run(node.client(), Integer.parseInt(arguments[0]));
        }
    }

    private void run(Client client, int count) {
        final Messenger messenger = Messenger.open(client, context);
        final AtomicLong begun = new AtomicLong();
        messenger.handler(HANDLER, message -> {
            final long result = land(message, begun.get());
            if (result >= 0) {
                begun.incrementAndGet();
            }
            return result;
        });
        context.barrier(deadline());
        final long peer = client.endpoint(sender, 0, deadline());
        final AtomicLong delivered = new AtomicLong();
        final Completion completion = failure -> delivered.incrementAndGet();
        for (long number = 0; number < count; number++) {
            final long earlier = number - DEPTH;
            context.await(() -> delivered.get() > earlier, deadline());
            fill(number);
            final Message message = new Message().to(peer, HANDLER).payload(source, place(number), LENGTH);
            context.await(() -> messenger.send(message, null, completion) >= 0, deadline());
        }
        context.await(() -> received.get() == count && delivered.get() == count, deadline());
        context.barrier(deadline());
        System.out.println("received " + (wrong.get() == 0 ? "all" : wrong + " wrong"));
    }

    private long land(ReceivedMessage message, long number) {
        return message.into(landed, place(number), failure -> {
            for (int i = 0; i < LENGTH; i += Long.BYTES) {
                if (failure != null || landed.buffer().getLong(place(number) + i) != value(sender, number, i)) {
                    wrong.incrementAndGet();
                    break;
                }
            }
            received.incrementAndGet();
        });
    }

    private void fill(long number) {
        for (int i = 0; i < LENGTH; i += Long.BYTES) {
            source.buffer().putLong(place(number) + i, value(rank, number, i));
        }
    }

    private static int place(long number) {
        return (int) (number % PLACES) * LENGTH;
    }

    /** Returns the word at an offset of a message. */
    private static long value(int from, long number, int offset) {
        return (long) from << 56 | number << 32 | offset;
    }

    private static long deadline() {
        return Deadline.in(LIMIT_S, TimeUnit.SECONDS);
    }
}
