package org.segno.bench.peer;

import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.Stream;

/**
 * Stream of messages of one length over bare Aeron by UDP, as links carry them: those of a turn share the messages of
 * Aeron that fill a datagram, and the receiver copies each into a ring, from which it reads them.
 */
final class UdpPackedMessages implements Stream, FragmentHandler {
    private static final int FRAGMENT_LIMIT = 16;
    private static final int HEADER_LENGTH = Long.BYTES;
    private static final int RING_LENGTH = 256 * 1024;

    private final AeronUdp udp;
    private final UnsafeBuffer message;
    private final UnsafeBuffer ring = new UnsafeBuffer(ByteBuffer.allocateDirect(RING_LENGTH));
    private final int size;
    private final int record;
    private int written;
    private int read;

    /** Messages that were read because the ring was full. */
    private int counted;

    private long sum;

    UdpPackedMessages(AeronUdp udp, int size) {
        this.udp = udp;
        this.size = size;
        this.record = HEADER_LENGTH + size;
        this.message = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
    }

    @Override
    public void prepare() {
        udp.prepare();
    }

    /** Returns when the receiver has answered that it has received all messages. */
    @Override
    public void send(int messages) {
        int sent = 0;
        while (sent < messages) {
            final int ofTurn = Math.min(messages - sent, UdpMessages.TURN_EVERY);
            for (int left = ofTurn; left > 0; ) {
                final int count = Math.min(left, udp.frameLimit() / record);
                offer(count);
                left -= count;
            }
            sent += ofTurn;
            udp.turn();
        }
        while (udp.poll((buffer, offset, length, header) -> sum += length, 1) == 0) {
            udp.turn();
        }
    }

    private void offer(int count) {
        udp.claim(count * record);
        final BufferClaim claim = udp.claimed();
        for (int i = 0; i < count; i++) {
            final int at = claim.offset() + i * record;
            claim.buffer().putLong(at, size);
            Payload.write(claim.buffer(), at + HEADER_LENGTH, message, size);
        }
        claim.commit();
    }

    @Override
    public void receive(int messages) {
        int left = messages;
        while (left > 0) {
            udp.turn();
            udp.poll(this, FRAGMENT_LIMIT);
            left -= readAll();
        }
        udp.claim(Long.BYTES);
        udp.claimed().buffer().putLong(udp.claimed().offset(), 0);
        udp.claimed().commit();
        udp.turn();
    }

    /** Copies the messages of a frame into the ring, which is read when it may be full. */
    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        for (int at = offset; at < offset + length; at += record) {
            if (written + record > RING_LENGTH) {
                counted = readAll();
                written = 0;
                read = 0;
            }
            ring.putBytes(written, buffer, at, record);
            written += record;
        }
    }

    /** Reads the messages in the ring. Returns the number of all that were read since the last call for a count. */
    private int readAll() {
        int messages = counted;
        counted = 0;
        for (; read < written; read += record) {
            sum += Payload.read(ring, read + HEADER_LENGTH, (int) ring.getLong(read));
            messages++;
        }
        return messages;
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
