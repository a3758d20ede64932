package org.segno.bench.segno;

import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.Requester;
import org.segno.bench.experiment.Side;
import org.segno.status.Status;

/**
 * PUTs between two ranks of one application thread: awaited at the target's counter and then read, one word of every
 * line.
 */
final class JointPut implements Requester {
    private static final int LINE_LENGTH = 64;

    private final JointPair pair;
    private final int size;
    private long sum;

    private JointPut(JointPair pair, int size) {
        this.pair = pair;
        this.size = size;
    }

    /** Returns the measurement of one way, half of a round trip. */
    static Side latency(JointPair pair, int size) {
        return pair.gated(LatencySide.requesting(new JointPut(pair, size)));
    }

    @Override
    public void request(int roundTrips) {
        final long deadlineNs = NodeEnd.deadline();
        for (int i = 0; i < roundTrips; i++) {
            put(pair.end(0));
            pair.serve(0);
            receive(pair.end(1), deadlineNs);
            put(pair.end(1));
            pair.serve(1);
            receive(pair.end(0), deadlineNs);
        }
    }

    private void put(JointPair.End from) {
        while (from.context().put(from.target(), 0, from.outgoing(), 0, size) == Status.BACK_PRESSURED) {
            from.context().advance();
        }
    }

    private void receive(JointPair.End at, long deadlineNs) {
        // After the put, so that it is sent earlier. It may land before it is expected.
        at.counter().expect(size);
        at.context().await(at.counter(), deadlineNs);
        for (int offset = 0; offset <= size - Long.BYTES; offset += LINE_LENGTH) {
            sum += at.incoming().buffer().getLong(offset);
        }
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }

    @Override
    public void close() {
        pair.close();
    }
}
