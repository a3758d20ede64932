package org.segno.transport.shm;

import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/** Node that waits, in every possible way, for a rank that sends nothing. */
final class EndlessWaits {
    /** Kinds of waits. */
    enum Wait {
        RECEPTION_FROM_RANK,
        RECEPTION_FROM_ANYBODY,
        INJECTION,
        PATTERN,
        BARRIER,
        ATTACH,
        CONDITION
    }

    private static final int MESSAGE_LENGTH = 1000;
    private static final int MESSAGES = 40;
    private static final int DISPATCH = 9;

    private final Node node;
    private final Client client;
    private final Context context;
    private final Window window;
    private final int silent;
    private int patterns;

    EndlessWaits(Node node, int silent) {
        this.node = node;
        this.client = node.client();
        this.context = client.context();
        this.window = client.window(4096);
        this.silent = silent;
    }

    /** Waits until the deadline or a failure and returns the outcome, for example "PeerFailedException 2: ...". */
    String await(Wait wait, long deadlineNs) {
        try {
            begin(wait, deadlineNs);
            return "nothing";
        } catch (SegnoException e) {
            return Outcome.of(e);
        }
    }

    private void begin(Wait wait, long deadlineNs) {
        switch (wait) {
            case RECEPTION_FROM_RANK -> await(client.receptionCounter(window, 0, 8, silent), deadlineNs);
            case RECEPTION_FROM_ANYBODY -> await(client.receptionCounter(window, 0, 8), deadlineNs);
            case INJECTION -> injection(deadlineNs);
            case PATTERN -> pattern(deadlineNs);
            case BARRIER -> context.barrier(deadlineNs);
            case ATTACH -> context.attach(silent, "never published", deadlineNs);
            case CONDITION -> context.await(() -> false, deadlineNs);
        }
    }

    private void await(ReceptionCounter counter, long deadlineNs) {
        counter.expect(8);
        context.await(counter, deadlineNs);
    }

    /** Sends more messages than the lane holds; their handler never runs. */
    private void injection(long deadlineNs) {
        final InjectionCounter injected = client.injectionCounter();
        final Message message = new Message()
                .to(silent, DISPATCH)
                .payload(window, 0, MESSAGE_LENGTH)
                .completes(injected);
        int sent = 0;
        while (sent < MESSAGES) {
            if (context.send(message) == Status.BACK_PRESSURED) {
                context.advance();
            } else {
                sent++;
            }
        }
        injected.expect((long) MESSAGES * MESSAGE_LENGTH);
        context.await(injected, deadlineNs);
    }

    private void pattern(long deadlineNs) {
        final CounterPair own = client.counterPair(window, 1024, 2048, 8, node.rank());
        final CounterPair others = client.counterPair(window, 1032, 2056, 8, silent);
        final String name = "own " + own.id();
        client.publish(name, own);
        final Target self = context.attach(node.rank(), name, deadlineNs);
        final Pattern pattern = context.record(patterns++, Rounds.ALTERNATE, () -> {
            context.expect(own, 8);
            context.expect(others, 8);
            context.put(self, 0, window, 0, 8);
        });
        context.await(pattern, 1, deadlineNs);
    }

    /**
     * Sends more messages than lane and FIFO hold, without a counter that could report their failure; returns their
     * number, or -1 if the FIFO is not empty at the deadline.
     */
    int flood(int messages) {
        final UnsafeBuffer body = new UnsafeBuffer(new byte[32]);
        final long deadlineNs = ScenarioRun.deadline();
        int sent = 0;
        while (sent < messages && !Deadline.reached(deadlineNs)) {
            if (context.sendImmediate(silent, DISPATCH, body, 0, 32) == Status.BACK_PRESSURED) {
                context.advance();
            } else {
                sent++;
            }
        }
        while (!context.isDrained() && !Deadline.reached(deadlineNs)) {
            context.advance();
        }
        return context.isDrained() ? sent : -1;
    }
}
