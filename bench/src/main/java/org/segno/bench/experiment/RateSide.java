package org.segno.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.jspecify.annotations.Nullable;

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

    private final @Nullable Sender sender;
    private final @Nullable Receiver receiver;
    private final long seenAddress;
    private long expected;

    private RateSide(@Nullable Sender sender, @Nullable Receiver receiver, Role role, Path directory)
            throws IOException {
        this.sender = sender;
        this.receiver = receiver;
        this.seenAddress =
                MappedBlock.share(role, directory.resolve("seen"), BLOCK_LENGTH).address();
    }

    /** Creates one end that times (origin) or serves (echo) the stream and closes it at the end. */
    public static RateSide of(Role role, Path directory, Stream stream) throws IOException {
        return role == Role.ORIGIN ? sending(directory, stream) : receiving(directory, stream);
    }

    /** Creates the end that times a sender, and closes it at the end. */
    public static RateSide sending(Path directory, Sender sender) throws IOException {
        return new RateSide(sender, null, Role.ORIGIN, directory);
    }

    /** Creates the end that serves a receiver, and closes it at the end. */
    public static RateSide receiving(Path directory, Receiver receiver) throws IOException {
        return new RateSide(null, receiver, Role.ECHO, directory);
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        if (receiver != null) {
            receiver.prepare();
            receive(receiver, RUN_IN);
            receive(receiver, operations);
        }
        if (sender != null) {
            sender.prepare();
            time(sender, operations, figures);
        }
    }

    private void time(Sender timed, int operations, SliceFigures figures) {
        send(timed, RUN_IN);
        final long beginNs = System.nanoTime();
        send(timed, operations);
        final double messageNs = (System.nanoTime() - beginNs) / (double) operations;
        figures.set(0, messageNs);
        // For experiments with the bandwidth as their second metric.
        figures.set(1, messageNs);
    }

    private void send(Sender timed, int messages) {
        timed.send(messages);
        expected += messages;
        int spins = 0;
        while (UnsafeApi.getLongAcquire(null, seenAddress) != expected) {
            spins = Spin.pause(spins);
        }
    }

    private void receive(Receiver serving, int messages) {
        serving.receive(messages);
        expected += messages;
        UnsafeApi.putLongRelease(null, seenAddress, expected);
    }

    @Override
    public void close() {
        if (sender != null) {
            sender.close();
        }
        if (receiver != null) {
            receiver.close();
        }
    }
}
