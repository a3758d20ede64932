package org.segno.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;

/**
 * Timing of a {@link Stream}. One operation is one message.
 *
 * <p>The time runs from the first send until the receiver has reported, in a cache line of its own, that it has read
 * the last message.
 */
public final class RateSide implements Side {
    /** Messages before the timing starts. */
    private static final int RUN_IN = 64;

    private static final int BLOCK_LENGTH = 4096;

    private final Role role;
    private final Stream stream;
    private final long seenAddress;
    private long expected;

    private RateSide(Role role, Stream stream, long seenAddress) {
        this.role = role;
        this.stream = stream;
        this.seenAddress = seenAddress;
    }

    /** Creates one end that times (origin) or serves (echo) the stream and closes it at the end. */
    public static RateSide of(Role role, Path directory, Stream stream) throws IOException {
        final MappedBlock seen = MappedBlock.share(role, directory.resolve("seen"), BLOCK_LENGTH);
        return new RateSide(role, stream, seen.address());
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        stream.prepare();
        if (role == Role.ECHO) {
            receive(RUN_IN);
            receive(operations);
            return;
        }
        send(RUN_IN);
        final long beginNs = System.nanoTime();
        send(operations);
        final double messageNs = (System.nanoTime() - beginNs) / (double) operations;
        figures.set(0, messageNs);
        // For experiments with the bandwidth as their second metric.
        figures.set(1, messageNs);
    }

    private void send(int messages) {
        stream.send(messages);
        expected += messages;
        int spins = 0;
        while (UnsafeApi.getLongAcquire(null, seenAddress) != expected) {
            spins = Spin.pause(spins);
        }
    }

    private void receive(int messages) {
        stream.receive(messages);
        expected += messages;
        UnsafeApi.putLongRelease(null, seenAddress, expected);
    }

    @Override
    public void close() {
        stream.close();
    }
}
