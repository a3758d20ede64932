package org.segno.bench.peer;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Spin;
import org.segno.bench.experiment.Stream;

/**
 * Aeron IPC with exclusive publications in both directions. Its driver is embedded in the origin and run by the
 * measuring thread.
 *
 * <p>There are two cores and two spinning threads. A driver in its own process or thread would take turns with them. It
 * is therefore an invoker: it runs before each slice, and in the sender whenever that is back-pressured, because then
 * the conductor must move the publisher's limit.
 *
 * <p>Term buffers are written in full and touched. The timeouts are long enough that the pauses between slices have no
 * effect.
 */
final class AeronIpc implements Exchange, Stream, FragmentHandler {
    private static final int STREAM_FROM_ORIGIN = 1001;
    private static final int STREAM_FROM_ECHO = 1002;
    private static final int FRAGMENT_LIMIT = 256;
    /** MTU with which the largest message of the experiments fits one fragment. */
    private static final int MTU_LENGTH = 8 * 1024;

    private static final long PATIENCE_NS = TimeUnit.HOURS.toNanos(1);
    static final int SETTLING_TURNS = 1_000;
    private static final int POLLS_TO_DRIVER = 1_000;

    private final @Nullable MediaDriver driver;
    private final Aeron aeron;
    private final ExclusivePublication out;
    private final Image in;
    private final UnsafeBuffer message;
    private final int size;
    private final boolean replies;
    private final BufferClaim claim = new BufferClaim();
    private long sum;

    private AeronIpc(
            @Nullable MediaDriver driver, Aeron aeron, ExclusivePublication out, Image in, int size, boolean replies) {
        this.driver = driver;
        this.aeron = aeron;
        this.out = out;
        this.in = in;
        this.size = size;
        this.replies = replies;
        this.message = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
    }

    /** Opens one end of a ping-pong or a stream. */
    static AeronIpc open(Role role, Path directory, int size, int termLength) {
        return open(role, directory, size, termLength, false);
    }

    /** Opens one end of a ping-pong in which the echo replies within the handler of a message. */
    static AeronIpc replying(Role role, Path directory, int size, int termLength) {
        return open(role, directory, size, termLength, role == Role.ECHO);
    }

    private static AeronIpc open(Role role, Path directory, int size, int termLength, boolean replies) {
        final String name = directory.resolve("aeron").toString();
        final MediaDriver driver = role == Role.ORIGIN ? launch(name, termLength) : null;
        final Aeron aeron = connect(name, driver);
        final boolean atOrigin = role == Role.ORIGIN;
        final Subscription subscription =
                aeron.addSubscription("aeron:ipc", atOrigin ? STREAM_FROM_ECHO : STREAM_FROM_ORIGIN);
        final ExclusivePublication publication =
                aeron.addExclusivePublication("aeron:ipc", atOrigin ? STREAM_FROM_ORIGIN : STREAM_FROM_ECHO);
        while (subscription.hasNoImages() || !publication.isConnected()) {
            turn(driver, aeron);
        }
        // The other end still needs messages about the connection, which this end must send before it stops invoking.
        for (int i = 0; i < SETTLING_TURNS; i++) {
            turn(driver, aeron);
        }
        return new AeronIpc(driver, aeron, publication, subscription.imageAtIndex(0), size, replies);
    }

    static MediaDriver launch(String name, int termLength) {
        return MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(name)
                .threadingMode(ThreadingMode.INVOKER)
                .ipcTermBufferLength(termLength)
                .ipcMtuLength(MTU_LENGTH)
                .termBufferSparseFile(false)
                .clientLivenessTimeoutNs(PATIENCE_NS)
                .publicationUnblockTimeoutNs(2 * PATIENCE_NS)
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS))
                .spiesSimulateConnection(false)
                .dirDeleteOnShutdown(true));
    }

    static Aeron connect(String name, @Nullable MediaDriver driver) {
        final Aeron.Context context = new Aeron.Context()
                .aeronDirectoryName(name)
                .useConductorAgentInvoker(true)
                .preTouchMappedMemory(true)
                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NS));
        if (driver != null) {
            context.driverAgentInvoker(driver.sharedAgentInvoker());
        }
        return Aeron.connect(context);
    }

    static void turn(@Nullable MediaDriver driver, Aeron aeron) {
        if (driver != null) {
            driver.sharedAgentInvoker().invoke();
        }
        aeron.conductorAgentInvoker().invoke();
    }

    @Override
    public void prepare() {
        turn(driver, aeron);
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            offer(size);
            awaitMessage();
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            awaitMessage();
            if (!replies) {
                offer(size);
            }
        }
    }

    @Override
    public void send(int messages) {
        for (int i = 0; i < messages; i++) {
            offer(size);
        }
    }

    @Override
    public void receive(int messages) {
        int spins = 0;
        int left = messages;
        while (left > 0) {
            final int taken = in.poll(this, Math.min(left, FRAGMENT_LIMIT));
            left -= taken;
            spins = taken == 0 ? Spin.pause(spins) : 0;
        }
    }

    /** Sends a message of at most the size of this connection's messages, waiting for room. */
    void offer(int length) {
        int spins = 0;
        while (out.tryClaim(length, claim) < 0) {
            if (driver == null) {
                spins = Spin.pause(spins);
            } else {
                driver.sharedAgentInvoker().invoke();
            }
        }
        Payload.write(claim.buffer(), claim.offset(), message, length);
        claim.commit();
    }

    private void awaitMessage() {
        int spins = 0;
        int polls = 0;
        while (in.poll(this, 1) == 0) {
            spins = Spin.pause(spins);
            // The echo may be back-pressured and cannot run the driver itself.
            if (++polls == POLLS_TO_DRIVER) {
                polls = 0;
                turn(driver, aeron);
            }
        }
    }

    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        sum += Payload.read(buffer, offset, length);
        if (replies) {
            offer(length);
        }
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }

    @Override
    public void close() {
        aeron.close();
        if (driver != null) {
            driver.close();
        }
    }
}
