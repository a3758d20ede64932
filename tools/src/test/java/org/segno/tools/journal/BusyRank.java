package org.segno.tools.journal;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.geometry.Endpoint;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * Program of a rank that uses each kind of descriptor that moves bytes, and loans, with other bytes in each. It prints
 * nothing, and ends with 0 when everything has arrived.
 */
public final class BusyRank {
    private static final int DISPATCH = 3;

    /** Longer than one record of a payload. */
    private static final int LONG = 700_001;

    private static final int SHORT = 40;
    private static final int METADATA = 100;
    private static final int ROUNDS = 5;

    private final Context context;
    private final Window source;
    private final Target target;
    private final int right;
    private int next;

    private BusyRank(Node node) {
        this.context = node.client().context();
        this.right = (node.rank() + 1) % node.size();
        this.next = 100 * node.rank();
        this.source = node.client().window(LONG);
        final Window landing = node.client().window(LONG);
        node.client().publish("inbox", node.client().receptionCounter(landing, 0, LONG));
        context.handler(DISPATCH, (origin, buffer, at, length, payload, bytes) -> {});
        this.target = context.attach(right, "inbox", deadline());
    }

    public static void main(String[] arguments) {
        try (Node node =
                Node.join(JobConfig.fromEnvironment(), NodeConfig.defaults().withWindowBytes(8 * LONG))) {
            final BusyRank rank = new BusyRank(node);
            rank.context.barrier(deadline());
            rank.inject();
            rank.lend();
            rank.replay();
            rank.context.fence(deadline());
            rank.context.barrier(deadline());
        }
    }

    private static long deadline() {
        return Deadline.in(60, SECONDS);
    }

    /** Writes other bytes than before into the source, once everything that was injected is carried out. */
    private void change(int length) {
        context.await(context::isDrained, deadline());
        for (int i = 0; i < length; i++) {
            source.putByte(i, (byte) (next + i));
        }
        next += 7;
    }

    private void inject() {
        final Message message = new Message();
        change(LONG);
        context.put(target, 0, source, 0, LONG);
        change(SHORT);
        context.put(target, 8, source, 0, SHORT);
        change(SHORT);
        context.send(message.to(right, DISPATCH)
                .metadata(new UnsafeBuffer(new byte[] {1, 2, 3, (byte) next}), 0, 4)
                .payload(source, 0, SHORT));
        change(SHORT + METADATA);
        context.send(
                message.to(right, DISPATCH).metadata(source, SHORT, METADATA).payload(source, 0, SHORT));
        change(SHORT);
        context.sendImmediate(message.to(right, DISPATCH)
                .metadata(new UnsafeBuffer(new byte[] {(byte) next, 5}), 0, 2)
                .payload(source, 0, 9));
        change(SHORT + METADATA);
        final long[] endpoints = {Endpoint.of(0, 0, 0, 0), Endpoint.of(1, 0, 0, 0)};
        context.multicast(
                message.to(0, DISPATCH).metadata(source, SHORT, METADATA).payload(source, 0, SHORT), endpoints, 0, 2);
        change(SHORT);
        context.copy(source, 0, source, 64, SHORT);
        context.count(target, -SHORT);
        context.await(context::isDrained, deadline());
    }

    private void lend() {
        final Loan record = context.loan();
        while (record.claim(new Message().to(right, DISPATCH), SHORT) < 0) {
            context.advance();
        }
        publish(record);
        final Loan range = context.loan();
        while (range.claim(target, 256, SHORT) < 0) {
            context.advance();
        }
        publish(range);
        context.await(context::isDrained, deadline());
    }

    private void publish(Loan loan) {
        for (int i = 0; i < SHORT; i++) {
            loan.buffer().putByte(i, (byte) (next + 3 * i));
        }
        next += 7;
        while (loan.publish() < 0) {
            context.advance();
        }
    }

    private void replay() {
        change(SHORT);
        final Pattern pattern = context.record(9, Rounds.ORDERED_BY_CALLER, () -> {
            context.put(target, 512, source, 0, SHORT);
            context.send(new Message().to(right, DISPATCH).payload(source, 8, SHORT - 8));
        });
        for (int round = 2; round <= ROUNDS; round++) {
            context.await(pattern, pattern.generation(), deadline());
            change(SHORT);
            while (context.replay(pattern) < 0) {
                context.advance();
            }
        }
        context.await(pattern, pattern.generation(), deadline());
    }
}
