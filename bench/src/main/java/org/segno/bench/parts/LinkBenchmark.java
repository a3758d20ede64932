package org.segno.bench.parts;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.segno.bench.jmh.AllocatesByDesign;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;
import org.segno.link.Link;
import org.segno.transport.aeron.AeronDriver;
import org.segno.transport.aeron.AeronEnd;
import org.segno.transport.aeron.AeronLink;
import org.segno.transport.aeron.LinkKey;

/**
 * Benchmarks of a round trip of {@value #LENGTH} bytes over the loopback interface: over a link of Aeron, and over bare
 * publications of Aeron. Both have a driver at each end, and the measuring thread is both ends and runs both drivers.
 */
@State(Scope.Thread)
public class LinkBenchmark implements FrameHandler, FragmentHandler {
    private static final int LENGTH = 64;
    private static final int MTU = 1408;
    private static final int STREAM = 1;
    private static final String SIZES = "|term-length=262144|mtu=" + MTU;

    private final Path directory = directory();
    private final LinkEnd near = new LinkEnd(directory, 1);
    private final LinkEnd far = new LinkEnd(directory, 0);
    private final BareEnd bareNear = new BareEnd(directory.resolve("near"));
    private final BareEnd bareFar = new BareEnd(directory.resolve("far"));
    private final ExclusivePublication there = bareNear.publishTo(bareFar);
    private final ExclusivePublication back = bareFar.publishTo(bareNear);
    private long sum;

    /** Joins the ends. */
    public LinkBenchmark() {
        near.link.connect(far.link.address(), key(1));
        far.link.connect(near.link.address(), key(0));
        while (!near.link.isJoined() || !far.link.isJoined()) {
            near.driver.run();
            far.driver.run();
        }
        while (!there.isConnected() || !back.isConnected()) {
            bareNear.run();
            bareFar.run();
        }
    }

    private static LinkKey key(int to) {
        return LinkKey.derive(new byte[32], 1, 2, 1 - to, to, 0);
    }

    private static Path directory() {
        try {
            final Path memory = Path.of("/dev/shm");
            return Files.isDirectory(memory)
                    ? Files.createTempDirectory(memory, "segno-links-")
                    : Files.createTempDirectory("segno-links-");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Driver and end of a link. */
    private static final class LinkEnd {
        final AeronDriver driver;
        final AeronLink link;

        LinkEnd(Path directory, int peer) {
            this.driver = AeronDriver.launch(directory);
            this.link = AeronLink.open(
                    driver, new AeronEnd(1 - peer, peer, 0), InetAddress.getLoopbackAddress(), MTU, key(1 - peer));
        }

        void send(long value) {
            long frame = link.claim(Frame.REQUESTS, LENGTH);
            while (frame == Link.NO_ROOM) {
                driver.run();
                frame = link.claim(Frame.REQUESTS, LENGTH);
            }
            link.memory().putLong(frame + Frame.LENGTH, value);
            link.commit(Frame.REQUESTS);
            link.flush();
        }

        void receive(FrameHandler handler) {
            while (link.poll(Frame.REQUESTS, handler, 1) == 0) {
                driver.run();
            }
        }
    }

    /** Driver, subscription and publication of Aeron. */
    private static final class BareEnd {
        private final MediaDriver driver;
        private final Aeron aeron;
        private final Subscription in;
        private final BufferClaim claim = new BufferClaim();

        BareEnd(Path directory) {
            this.driver = MediaDriver.launch(new MediaDriver.Context()
                    .aeronDirectoryName(directory.toString())
                    .threadingMode(ThreadingMode.INVOKER)
                    .termBufferSparseFile(false)
                    .dirDeleteOnShutdown(true));
            this.aeron = Aeron.connect(new Aeron.Context()
                    .aeronDirectoryName(directory.toString())
                    .useConductorAgentInvoker(true)
                    .driverAgentInvoker(driver.sharedAgentInvoker()));
            this.in = aeron.addSubscription("aeron:udp?endpoint=127.0.0.1:0", STREAM);
        }

        ExclusivePublication publishTo(BareEnd peer) {
            return aeron.addExclusivePublication(peer.in.tryResolveChannelEndpointPort() + SIZES, STREAM);
        }

        void run() {
            driver.sharedAgentInvoker().invoke();
            aeron.conductorAgentInvoker().invoke();
        }

        void send(ExclusivePublication out, long value) {
            while (out.tryClaim(LENGTH, claim) < 0) {
                run();
            }
            claim.buffer().putLong(claim.offset(), value);
            claim.commit();
            run();
        }

        void receive(FragmentHandler handler) {
            while (in.poll(handler, 1) == 0) {
                run();
            }
        }

        void close() {
            aeron.close();
            driver.close();
        }
    }

    @Override
    public boolean onFrame(Memory memory, long offset, int length) {
        sum += memory.getLong(offset + Frame.LENGTH);
        return true;
    }

    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        sum += buffer.getLong(offset);
    }

    /** Measures a round trip over a link. */
    @AllocatesByDesign
    @Benchmark
    public long roundTripOverALink() {
        near.send(sum);
        far.receive(this);
        far.send(sum);
        near.receive(this);
        return sum;
    }

    /** Measures the same over bare publications. */
    @AllocatesByDesign
    @Benchmark
    public long roundTripOverBareAeron() {
        bareNear.send(there, sum);
        bareFar.receive(this);
        bareFar.send(back, sum);
        bareNear.receive(this);
        return sum;
    }

    /** Closes the drivers. */
    @TearDown
    public void close() throws IOException {
        near.driver.close();
        far.driver.close();
        bareNear.close();
        bareFar.close();
        Files.delete(directory);
    }
}
