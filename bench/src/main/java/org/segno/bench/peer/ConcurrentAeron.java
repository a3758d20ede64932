package org.segno.bench.peer;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.logbuffer.BufferClaim;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.ConcurrentSenders;
import org.segno.bench.experiment.RateSide;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Sender;
import org.segno.bench.experiment.Side;

/**
 * One of several senders to an Aeron IPC stream. They share one publication, or have an exclusive one each; the
 * receiver polls all of them.
 *
 * <p>As in {@link AeronIpc}, the driver is an invoker in the origin. The first sender runs it, on the measuring thread.
 */
final class ConcurrentAeron implements Sender {
    private static final String CHANNEL = "aeron:ipc";
    private static final int STREAM = 1001;

    private final @Nullable MediaDriver driver;
    private final Aeron aeron;
    private final Publication out;
    private final boolean first;
    private final UnsafeBuffer message;
    private final int size;
    private final BufferClaim claim = new BufferClaim();

    private ConcurrentAeron(@Nullable MediaDriver driver, Aeron aeron, Publication out, boolean first, int size) {
        this.driver = driver;
        this.aeron = aeron;
        this.out = out;
        this.first = first;
        this.size = size;
        this.message = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
    }

    /** Opens all senders at the origin, the receiver at the echo. */
    static Side open(Role role, Path directory, int senders, int size, int termLength, boolean exclusive)
            throws IOException {
        final String name = directory.resolve("aeron").toString();
        final int publications = exclusive ? senders : 1;
        if (role == Role.ECHO) {
            final Aeron aeron = AeronIpc.connect(name, null);
            final Subscription subscription = aeron.addSubscription(CHANNEL, STREAM);
            while (subscription.imageCount() < publications) {
                AeronIpc.turn(null, aeron);
            }
            settle(null, aeron);
            return RateSide.receiving(directory, new AeronReceiver(aeron, subscription));
        }
        final MediaDriver driver = AeronIpc.launch(name, termLength);
        final Aeron aeron = AeronIpc.connect(name, driver);
        final List<Publication> all = new ArrayList<>();
        for (int i = 0; i < publications; i++) {
            all.add(exclusive ? aeron.addExclusivePublication(CHANNEL, STREAM) : aeron.addPublication(CHANNEL, STREAM));
        }
        while (!all.stream().allMatch(Publication::isConnected)) {
            AeronIpc.turn(driver, aeron);
        }
        settle(driver, aeron);
        final List<ConcurrentAeron> ends = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            ends.add(new ConcurrentAeron(driver, aeron, all.get(i % publications), i == 0, size));
        }
        return RateSide.sending(directory, new ConcurrentSenders(ends));
    }

    /** Sends the messages about the connection that the other end still needs. */
    private static void settle(@Nullable MediaDriver driver, Aeron aeron) {
        for (int i = 0; i < AeronIpc.SETTLING_TURNS; i++) {
            AeronIpc.turn(driver, aeron);
        }
    }

    @Override
    public void prepare() {
        if (first) {
            AeronIpc.turn(driver, aeron);
        }
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    public void send(int messages) {
        for (int i = 1; i <= messages; i++) {
            while (out.tryClaim(size, claim) < 0) {
                prepare();
                Thread.yield();
            }
            Payload.write(claim.buffer(), claim.offset(), message, size);
            claim.commit();
            if (i % ConcurrentSenders.SENT_BETWEEN_YIELDS == 0) {
                Thread.yield();
            }
        }
    }

    @Override
    public void close() {
        if (first) {
            aeron.close();
            if (driver != null) {
                driver.close();
            }
        }
    }
}
