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
 * Round of words over bare Aeron by UDP, until all have landed, followed by the same in the other direction. Each word
 * is a message, or words are packed into messages of maximum length; a word has as many bytes as a PUT of 8 bytes over
 * a link.
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
    private static final int FRAGMENT_LIMIT = 256;

    /** Messages of one word after which the driver runs, as in a stream of messages. */
    private static final int TURN_EVERY = 64;

    private final AeronUdp udp;
    private final UnsafeBuffer source;
    private final UnsafeBuffer target;
    private final int count;
    private final int wordLimit;
    private int landed;

    private UdpRound(AeronUdp udp, int count, int wordLimit) {
        this.wordLimit = wordLimit;
        this.udp = udp;
        this.count = count;
        this.source = new UnsafeBuffer(ByteBuffer.allocateDirect(count * Long.BYTES));
        this.target = new UnsafeBuffer(ByteBuffer.allocateDirect(count * Long.BYTES));
    }

    /** Creates one end that packs words into messages. */
    static UdpRound packed(AeronUdp udp, int count) {
        return new UdpRound(udp, count, udp.frameLimit() / LENGTH);
    }

    /** Creates one end that sends a message for each word. */
    static UdpRound single(AeronUdp udp, int count) {
        return new UdpRound(udp, count, 1);
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
        int sent = 0;
        while (sent < count) {
            final int words = Math.min(wordLimit, count - sent);
            udp.claim(words * LENGTH);
            write(udp.claimed(), sent, words);
            sent += words;
            // A packed message fills a datagram, of which a pass sends one.
            if (wordLimit > 1 || sent % TURN_EVERY == 0 || sent == count) {
                udp.turn();
            }
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
