package org.segno.bench.peer;

import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.LatencyBesideStream;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;

/**
 * Ping-pong of messages over bare Aeron by UDP beside a second stream from its origin to its echo: ranges, copied from
 * memory into messages of maximum length, and out of them into memory. Each pass sends one datagram of either stream,
 * so the origin adds a message to the stream before each pass, unless there is no room.
 */
final class UdpBesideStream implements Exchange, FragmentHandler {
    private static final int FRAGMENT_LIMIT = 16;

    private final AeronUdp udp;
    private final int size;
    private final UnsafeBuffer message;
    private final UnsafeBuffer source;
    private final UnsafeBuffer target;
    private final FragmentHandler reader = this::read;
    private int sent;
    private int landed;
    private long streamedBytes;
    private long sum;

    private UdpBesideStream(AeronUdp udp, int size, int range) {
        this.udp = udp;
        this.size = size;
        this.message = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
        this.source = new UnsafeBuffer(ByteBuffer.allocateDirect(range));
        this.target = new UnsafeBuffer(ByteBuffer.allocateDirect(range));
        source.setMemory(0, range, (byte) 1);
        target.setMemory(0, range, (byte) 0);
    }

    /**
     * Creates one end.
     *
     * @param udp connection with two streams
     * @param size payload of a message of the ping-pong
     * @param range bytes of a range
     */
    static Side over(Role role, AeronUdp udp, int size, int range) {
        final UdpBesideStream exchange = new UdpBesideStream(udp, size, range);
        return new LatencyBesideStream(role, exchange, () -> exchange.streamedBytes, size);
    }

    @Override
    public void prepare() {
        udp.prepare();
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            offer();
            while (udp.poll(reader, 1) == 0) {
                continueStream();
                udp.turn();
            }
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            while (udp.poll(reader, 1) == 0) {
                udp.turn();
                udp.poll(AeronUdp.RANGES, this, FRAGMENT_LIMIT);
            }
            offer();
        }
    }

    private void offer() {
        udp.claim(size);
        final BufferClaim claim = udp.claimed();
        Payload.write(claim.buffer(), claim.offset(), message, size);
        claim.commit();
        udp.turn();
    }

    private void continueStream() {
        final int length = Math.min(udp.frameLimit(), source.capacity() - sent);
        if (udp.tryClaim(AeronUdp.RANGES, length)) {
            final BufferClaim claim = udp.claimed();
            claim.buffer().putBytes(claim.offset(), source, sent, length);
            claim.commit();
            sent = sent + length == source.capacity() ? 0 : sent + length;
            streamedBytes += length;
        }
    }

    private void read(DirectBuffer buffer, int offset, int length, Header header) {
        sum += Payload.read(buffer, offset, length);
    }

    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        target.putBytes(landed, buffer, offset, length);
        landed = landed + length == target.capacity() ? 0 : landed + length;
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
