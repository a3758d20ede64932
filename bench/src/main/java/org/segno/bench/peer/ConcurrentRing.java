package org.segno.bench.peer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.segno.bench.experiment.ConcurrentSenders;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.RateSide;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.Stream;

/** One of several senders that share Agrona's {@code ManyToOneRingBuffer}, or its receiver. */
final class ConcurrentRing implements Stream, MessageHandler {
    private static final int CAPACITY = 1 << 20;
    private static final int MESSAGE_TYPE = 1;
    private static final int READ_LIMIT = 256;

    private final ManyToOneRingBuffer ring;
    private final UnsafeBuffer message;
    private final int size;
    private long sum;

    private ConcurrentRing(MappedBlock block, int size) {
        this.ring = new ManyToOneRingBuffer(block.buffer());
        this.message = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
        this.size = size;
    }

    /** Opens all senders at the origin, the receiver at the echo. */
    static Side open(Role role, Path directory, int senders, int size) throws IOException {
        final MappedBlock block =
                MappedBlock.share(role, directory.resolve("ring"), CAPACITY + RingBufferDescriptor.TRAILER_LENGTH);
        if (role == Role.ECHO) {
            return RateSide.receiving(directory, new ConcurrentRing(block, size));
        }
        final List<ConcurrentRing> ends = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            ends.add(new ConcurrentRing(block, size));
        }
        return RateSide.sending(directory, new ConcurrentSenders(ends));
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    public void send(int messages) {
        for (int i = 1; i <= messages; i++) {
            int index = ring.tryClaim(MESSAGE_TYPE, size);
            while (index < 0) {
                Thread.yield();
                index = ring.tryClaim(MESSAGE_TYPE, size);
            }
            Payload.write(ring.buffer(), index, message, size);
            ring.commit(index);
            if (i % ConcurrentSenders.SENT_BETWEEN_YIELDS == 0) {
                Thread.yield();
            }
        }
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    public void receive(int messages) {
        int left = messages;
        while (left > 0) {
            final int taken = ring.read(this, Math.min(left, READ_LIMIT));
            left -= taken;
            if (taken == 0) {
                Thread.yield();
            }
        }
    }

    @Override
    public void onMessage(int messageType, MutableDirectBuffer buffer, int index, int length) {
        sum += Payload.read(buffer, index, length);
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }
}
