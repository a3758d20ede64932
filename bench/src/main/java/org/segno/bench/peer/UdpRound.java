package org.segno.bench.peer;

import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.bench.experiment.Exchange;

/**
 * Round of words over bare Aeron by UDP, until all have landed, followed by the same in the other direction. The words
 * are packed into messages of maximum length, with as many bytes as PUTs of 8 bytes over a link.
 *
 * <pre>
 *  offset  length  field   meaning
 *       0       4  offset  of the word in the receiver's memory
 *       4       4  length  of the word
 *       8       8  word
 *      16          LENGTH
 * </pre>
 */
final class UdpRound implements Exchange, FragmentHandler {
    private static final int LENGTH = 16;
    private static final int LENGTH_OFFSET = 4;
    private static final int WORD_OFFSET = 8;
    private static final int FRAGMENT_LIMIT = 16;

    private final AeronUdp udp;
    private final UnsafeBuffer source;
    private final UnsafeBuffer target;
    private final int count;
    private int landed;

    UdpRound(AeronUdp udp, int count) {
        this.udp = udp;
        this.count = count;
        this.source = new UnsafeBuffer(ByteBuffer.allocateDirect(count * Long.BYTES));
        this.target = new UnsafeBuffer(ByteBuffer.allocateDirect(count * Long.BYTES));
    }

    @Override
    public void prepare() {
        udp.prepare();
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            send();
            receive();
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            receive();
            send();
        }
    }

    private void send() {
        final int limit = udp.frameLimit() / LENGTH;
        int sent = 0;
        while (sent < count) {
            final int words = Math.min(limit, count - sent);
            udp.claim(words * LENGTH);
            write(udp.claimed(), sent, words);
            sent += words;
            // A message fills a datagram, of which a pass sends one.
            udp.turn();
        }
    }

    private void write(BufferClaim claim, int first, int words) {
        final MutableDirectBuffer buffer = claim.buffer();
        int at = claim.offset();
        for (int i = first; i < first + words; i++) {
            buffer.putInt(at, i * Long.BYTES);
            buffer.putInt(at + LENGTH_OFFSET, Long.BYTES);
            buffer.putLong(at + WORD_OFFSET, source.getLong(i * Long.BYTES));
            at += LENGTH;
        }
        claim.commit();
    }

    private void receive() {
        landed = 0;
        while (landed < count) {
            udp.turn();
            udp.poll(this, FRAGMENT_LIMIT);
        }
    }

    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        for (int at = offset; at < offset + length; at += LENGTH) {
            target.putLong(buffer.getInt(at), buffer.getLong(at + WORD_OFFSET));
        }
        landed += length / LENGTH;
    }

    UnsafeBuffer source() {
        return source;
    }

    UnsafeBuffer target() {
        return target;
    }

    @Override
    public void close() {
        udp.close();
    }
}
