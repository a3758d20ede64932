package org.segno.bench.peer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Spin;
import org.segno.bench.experiment.Stream;

/**
 * One of Agrona's ring buffers over mapped files, one for each direction, with its default bounds checks.
 *
 * <p>Messages are claimed, written in place and committed. The alternative, {@code write}, calls the memory copier even
 * for eight bytes.
 */
final class AgronaRing implements Exchange, Stream, MessageHandler {
    /** Kinds of ring buffers; one producer writes to it in either case. */
    enum Kind {
        ONE_TO_ONE("Agrona OneToOneRingBuffer") {
            @Override
            RingBuffer over(AtomicBuffer buffer) {
                return new OneToOneRingBuffer(buffer);
            }
        },
        MANY_TO_ONE("Agrona ManyToOneRingBuffer") {
            @Override
            RingBuffer over(AtomicBuffer buffer) {
                return new ManyToOneRingBuffer(buffer);
            }
        };

        private final String peer;

        Kind(String peer) {
            this.peer = peer;
        }

        /** Returns the name as printed. */
        String peer() {
            return peer;
        }

        abstract RingBuffer over(AtomicBuffer buffer);
    }

    private static final int CAPACITY = 1 << 20;
    private static final int MESSAGE_TYPE = 1;
    /** Limit of messages of one read. A higher limit brings nothing, because the head is already stored so rarely. */
    private static final int READ_LIMIT = 256;

    private final RingBuffer out;
    private final RingBuffer in;
    private final UnsafeBuffer message;
    private final int size;
    private final boolean replies;
    private long sum;

    private AgronaRing(RingBuffer out, RingBuffer in, int size, boolean replies) {
        this.out = out;
        this.in = in;
        this.size = size;
        this.replies = replies;
        this.message = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
    }

    /** Opens one end of a ping-pong or a stream. */
    static AgronaRing open(Role role, Path directory, Kind kind, int size) throws IOException {
        return open(role, directory, kind, size, false);
    }

    /** Opens one end of a ping-pong in which the echo replies within the handler of a message. */
    static AgronaRing replying(Role role, Path directory, Kind kind, int size) throws IOException {
        return open(role, directory, kind, size, role == Role.ECHO);
    }

    private static AgronaRing open(Role role, Path directory, Kind kind, int size, boolean replies) throws IOException {
        final int length = CAPACITY + RingBufferDescriptor.TRAILER_LENGTH;
        final MappedBlock fromOrigin = MappedBlock.share(role, directory.resolve("from-origin"), length);
        final MappedBlock fromEcho = MappedBlock.share(role, directory.resolve("from-echo"), length);
        final RingBuffer forth = kind.over(fromOrigin.buffer());
        final RingBuffer back = kind.over(fromEcho.buffer());
        return role == Role.ORIGIN
                ? new AgronaRing(forth, back, size, replies)
                : new AgronaRing(back, forth, size, replies);
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            write(size);
            awaitMessage();
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            awaitMessage();
            if (!replies) {
                write(size);
            }
        }
    }

    @Override
    public void send(int messages) {
        for (int i = 0; i < messages; i++) {
            write(size);
        }
    }

    @Override
    public void receive(int messages) {
        int spins = 0;
        int left = messages;
        while (left > 0) {
            final int taken = in.read(this, Math.min(left, READ_LIMIT));
            left -= taken;
            spins = taken == 0 ? Spin.pause(spins) : 0;
        }
    }

    /** Writes a message of at most the size of this ring's messages, waiting for room. */
    void write(int length) {
        int spins = 0;
        int index = out.tryClaim(MESSAGE_TYPE, length);
        while (index < 0) {
            spins = Spin.pause(spins);
            index = out.tryClaim(MESSAGE_TYPE, length);
        }
        Payload.write(out.buffer(), index, message, length);
        out.commit(index);
    }

    private void awaitMessage() {
        int spins = 0;
        while (in.read(this, 1) == 0) {
            spins = Spin.pause(spins);
        }
    }

    @Override
    public void onMessage(int messageType, MutableDirectBuffer buffer, int index, int length) {
        sum += Payload.read(buffer, index, length);
        if (replies) {
            write(length);
        }
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }

    @Override
    public void prepare() {}

    @Override
    public void close() {}
}
