package org.segno.bench.peer;

import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.Stream;

/**
 * Messages of one length over bare Aeron by UDP. A message of a ping-pong leaves at once. A stream sends one by one,
 * and its driver runs every {@value #TURN_EVERY} messages and when there is no room, as in the rows of Segno.
 */
final class UdpMessages implements Exchange, Stream, FragmentHandler {
    /** Messages of a stream between two turns of the driver. */
    static final int TURN_EVERY = 64;

    private static final int FRAGMENT_LIMIT = 256;

    private final AeronUdp udp;
    private final UnsafeBuffer message;
    private final int size;
    private long sum;

    UdpMessages(AeronUdp udp, int size) {
        this.udp = udp;
        this.size = size;
        this.message = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
    }

    @Override
    public void prepare() {
        udp.prepare();
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            offer(size);
            udp.turn();
            awaitMessage();
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            awaitMessage();
            offer(size);
            udp.turn();
        }
    }

    /** Returns when the receiver has answered that it has received all messages. */
    @Override
    public void send(int messages) {
        for (int i = 1; i <= messages; i++) {
            offer(size);
            if (i % TURN_EVERY == 0) {
                udp.turn();
            }
        }
        udp.turn();
        awaitMessage();
    }

    @Override
    public void receive(int messages) {
        int left = messages;
        while (left > 0) {
            udp.turn();
            left -= udp.poll(this, Math.min(left, FRAGMENT_LIMIT));
        }
        offer(Long.BYTES);
        udp.turn();
    }

    private void offer(int length) {
        udp.claim(length);
        final BufferClaim claim = udp.claimed();
        Payload.write(claim.buffer(), claim.offset(), message, length);
        claim.commit();
    }

    private void awaitMessage() {
        while (udp.pollAll(this, 1) == 0) {
            udp.turn();
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
        udp.close();
    }
}
