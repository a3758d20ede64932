package org.segno.bench.parts;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.jmh.EngineMode;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.ActiveMessageHandler;
import org.segno.operation.Message;
import org.segno.operation.ThreadLevel;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.Refusal;

/** Job of two ranks, both used by this thread: the first sends, the second receives. */
final class TwoNodes implements AutoCloseable {
    /** Dispatch id of the second rank's handler. */
    static final int DISPATCH_ID = 1;

    /** Bytes of a message. */
    static final int LENGTH = 8;

    private static final int WINDOW_BYTES = 64 * 1024;
    private static final String NAME = "in";
    private static final int ALL = 1 << 20;

    private final List<Node> nodes;
    private final Context first;
    private final Context second;
    private final Window outgoing;
    private final Target target;
    private final Received received = new Received();
    private final UnsafeBuffer immediate = new UnsafeBuffer(new byte[LENGTH]);
    private final Message message = new Message();

    private TwoNodes(List<Node> nodes) {
        this.nodes = nodes;
        this.first = nodes.get(0).client().context();
        this.second = nodes.get(1).client().context();
        final Window incoming = nodes.get(1).client().window(WINDOW_BYTES);
        final ReceptionCounter counter = nodes.get(1).client().receptionCounter(incoming, 0, WINDOW_BYTES);
        nodes.get(1).client().publish(NAME, counter);
        this.outgoing = nodes.get(0).client().window(WINDOW_BYTES);
        this.target = first.attach(1, NAME, Deadline.in(30, TimeUnit.SECONDS));
        message.to(1, DISPATCH_ID).payload(outgoing, 0, LENGTH);
        second.handler(DISPATCH_ID, received);
    }

    static TwoNodes join() {
        return join(ThreadLevel.SERIALIZED);
    }

    /** Joins as {@link #join()} does, with contexts that other threads may use as {@code level} permits. */
    static TwoNodes join(ThreadLevel level) {
        final String job = String.format(
                Locale.ROOT, "parts-%016x", ProcessHandle.current().pid());
        return new TwoNodes(EngineMode.reported(Node.joinAll(
                List.of(JobConfig.of(job, 0, 2), JobConfig.of(job, 1, 2)),
                NodeConfig.defaults()
                        .withThreading(Threading.INVOKER)
                        .withThreadLevel(level)
                        .withWindowBytes(WINDOW_BYTES))));
    }

    /** Injects a PUT of {@link #LENGTH} bytes, the {@code index}th of adjacent ones. */
    void put(int index) {
        requireInjected(first.put(target, (long) index * LENGTH, outgoing, (long) index * LENGTH, LENGTH));
    }

    void count() {
        requireInjected(first.count(target, -1));
    }

    void sendImmediate() {
        requireInjected(first.sendImmediate(1, DISPATCH_ID, immediate, 0, LENGTH));
    }

    void sendWindow() {
        requireInjected(first.send(message));
    }

    /** Records PUTs and executes them. */
    Pattern recordPuts(int id, int count) {
        return record(id, () -> {
            for (int i = 0; i < count; i++) {
                put(i);
            }
        });
    }

    /** Records SENDs by value and executes them. */
    Pattern recordSends(int id, int count) {
        return record(id, () -> {
            for (int i = 0; i < count; i++) {
                sendImmediate();
            }
        });
    }

    private Pattern record(int id, Runnable body) {
        final Pattern pattern = first.record(id, Rounds.ORDERED_BY_CALLER, body);
        drain();
        return pattern;
    }

    /** Starts a pattern's next round. */
    void replay(Pattern pattern) {
        requireInjected(first.replay(pattern));
    }

    /** Checks that a call was accepted. A benchmark that overruns its queues would measure refusals. */
    static void requireInjected(long status) {
        if (status < 0) {
            throw new IllegalStateException("the engine has not kept up: status=" + status);
        }
    }

    /** Returns the context of the sender or of the receiver. */
    Context context(int rank) {
        return rank == 0 ? first : second;
    }

    /** Returns the window that the sender's messages are read from. */
    Window outgoing() {
        return outgoing;
    }

    /** Runs one pass of the sender's engine. */
    int pass() {
        return first.advance();
    }

    /** Reads the messages that the second rank has received. */
    int receive() {
        return second.advance(ALL);
    }

    /** Executes and reads all messages. */
    void drain() {
        while (first.advance() + second.advance(ALL) != 0) {
            // Until both have nothing to do.
        }
    }

    /** Closes both nodes. Throws if messages were refused, because then the measurement is invalid. */
    @Override
    public void close() {
        drain();
        for (final Refusal refusal : Refusal.values()) {
            final long refused = nodes.get(0).metrics().refusals(refusal);
            if (refused != 0) {
                throw new IllegalStateException("refused " + refused + " times: " + refusal.reason());
            }
        }
        nodes.forEach(Node::close);
    }

    /** Handler that reads a word of every message. */
    private static final class Received implements ActiveMessageHandler {
        private long sum;

        @Override
        public void onMessage(
                long source, DirectBuffer buffer, int metadataOffset, int metadataLength, int offset, int length) {
            sum += buffer.getLong(metadataOffset) + length;
        }

        @Override
        public String toString() {
            return "sum " + sum;
        }
    }
}
