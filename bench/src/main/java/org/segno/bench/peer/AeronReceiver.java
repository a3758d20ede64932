package org.segno.bench.peer;

import io.aeron.Aeron;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import org.agrona.DirectBuffer;
import org.segno.bench.experiment.Receiver;

/** Receiver of all publications of several senders to an Aeron IPC stream. */
final class AeronReceiver implements Receiver, FragmentHandler {
    private static final int FRAGMENT_LIMIT = 256;

    private final Aeron aeron;
    private final Subscription in;
    private long sum;

    AeronReceiver(Aeron aeron, Subscription in) {
        this.aeron = aeron;
        this.in = in;
    }

    @Override
    public void prepare() {
        AeronIpc.turn(null, aeron);
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    public void receive(int messages) {
        int left = messages;
        while (left > 0) {
            final int taken = in.poll(this, Math.min(left, FRAGMENT_LIMIT));
            left -= taken;
            if (taken == 0) {
                Thread.yield();
            }
        }
    }

    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        sum += Payload.read(buffer, offset, length);
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }

    @Override
    public void close() {
        aeron.close();
    }
}
