package org.segno.bench.segno;

import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.Role;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Status;

/** PUT that is awaited at its counter and then read: one word of every line. */
final class PutPingPong implements Exchange {
    private static final int LINE_LENGTH = 64;
    private static final String BESIDE_COUNT = "beside count";

    private final NodeEnd ends;
    private final Context context;
    private final Target target;
    private final Window outgoing;
    private final ReceptionCounter counter;
    private final DirectBuffer incoming;
    private final int size;
    private long sum;

    private PutPingPong(NodeEnd ends, Target target, ReceptionCounter counter, DirectBuffer incoming, int size) {
        this.ends = ends;
        this.context = ends.context();
        this.target = target;
        this.outgoing = ends.outgoing();
        this.counter = counter;
        this.incoming = incoming;
        this.size = size;
    }

    static PutPingPong open(Role role, Path directory, Threading threading, int size) {
        return over(NodeEnd.open(role, directory, threading, NodeConfig.defaults(), 4096), size);
    }

    static PutPingPong over(NodeEnd ends, int size) {
        return new PutPingPong(
                ends, ends.target(), ends.counter(), ends.incoming().buffer(), size);
    }

    /** Opens one end where the bytes land in the line of their counter. */
    static PutPingPong besideCount(Role role, Path directory, Threading threading, int size) {
        final NodeEnd ends = NodeEnd.open(role, directory, threading, NodeConfig.defaults(), 4096);
        final ReceptionCounter counter = ends.client().receptionCounter(size, ReceptionCounter.ANYBODY);
        ends.client().publish(BESIDE_COUNT, counter);
        final Target target = ends.context().attach(ends.peer(), BESIDE_COUNT, NodeEnd.deadline());
        return new PutPingPong(ends, target, counter, counter.buffer(), size);
    }

    @Override
    public void request(int roundTrips) {
        final long deadlineNs = NodeEnd.deadline();
        for (int i = 0; i < roundTrips; i++) {
            put();
            // After the put, so that the message is sent earlier. The reply may land before it is expected.
            counter.expect(size);
            receive(deadlineNs);
        }
    }

    @Override
    public void reply(int roundTrips) {
        final long deadlineNs = NodeEnd.deadline();
        for (int i = 0; i < roundTrips; i++) {
            counter.expect(size);
            receive(deadlineNs);
            put();
        }
    }

    private void put() {
        while (context.put(target, 0, outgoing, 0, size) == Status.BACK_PRESSURED) {
            context.advance();
        }
        context.advance();
    }

    private void receive(long deadlineNs) {
        context.await(counter, deadlineNs);
        for (int at = 0; at <= size - Long.BYTES; at += LINE_LENGTH) {
            sum += incoming.getLong(at);
        }
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }

    NodeEnd ends() {
        return ends;
    }

    @Override
    public void close() {
        ends.close();
    }
}
