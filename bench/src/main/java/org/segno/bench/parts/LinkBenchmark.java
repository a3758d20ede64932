package org.segno.bench.parts;

import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.segno.bench.jmh.AllocatesByDesign;
import org.segno.bench.udp.BareEnd;
import org.segno.bench.udp.LinkEnd;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;

/**
 * Benchmarks of a round trip of {@value #LENGTH} bytes over the loopback interface: over a link of Aeron, and over bare
 * publications of Aeron, one or as many as a link has. Each end has a driver, and the measuring thread is both ends and
 * runs both drivers.
 *
 * <p>The link has at most the same cost as as many bare publications, and that of the checks and tags of its datagrams.
 */
@State(Scope.Thread)
public class LinkBenchmark implements FrameHandler, FragmentHandler {
    private static final int LENGTH = 64;
    private static final int MTU = 1408;

    private final Path directory = directory();
    private final LinkEnd near = new LinkEnd(directory, 1, MTU, LENGTH);
    private final LinkEnd far = new LinkEnd(directory, 0, MTU, LENGTH);
    private final BareEnd bareNear = new BareEnd(directory.resolve("near"), 1, MTU, LENGTH);
    private final BareEnd bareFar = new BareEnd(directory.resolve("far"), 1, MTU, LENGTH);
    private final BareEnd severalNear = new BareEnd(directory.resolve("several-near"), Frame.STREAMS, MTU, LENGTH);
    private final BareEnd severalFar = new BareEnd(directory.resolve("several-far"), Frame.STREAMS, MTU, LENGTH);
    private long sum;

    /** Joins the ends. */
    public LinkBenchmark() {
        near.connect(far.port());
        far.connect(near.port());
        while (!near.isJoined() || !far.isJoined()) {
            near.run();
            far.run();
        }
        join(bareNear, bareFar);
        join(severalNear, severalFar);
    }

    private static void join(BareEnd one, BareEnd other) {
        one.connect(other.port());
        other.connect(one.port());
        while (!one.isJoined() || !other.isJoined()) {
            one.run();
            other.run();
        }
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
        pass(near, far);
        pass(far, near);
        return sum;
    }

    private void pass(LinkEnd from, LinkEnd to) {
        from.send(sum);
        while (to.receive(this) == 0) {
            to.run();
        }
    }

    /** Measures the same over bare publications. */
    @AllocatesByDesign
    @Benchmark
    public long roundTripOverBareAeron() {
        pass(bareNear, bareFar);
        pass(bareFar, bareNear);
        return sum;
    }

    /** Measures the same beside further publications, which are idle. */
    @AllocatesByDesign
    @Benchmark
    public long roundTripOverBareAeronOfThreeStreams() {
        pass(severalNear, severalFar);
        pass(severalFar, severalNear);
        return sum;
    }

    private void pass(BareEnd from, BareEnd to) {
        from.send(sum);
        while (to.receive(this) == 0) {
            to.run();
        }
    }

    /** Closes the drivers. */
    @TearDown
    public void close() throws IOException {
        near.close();
        far.close();
        bareNear.close();
        bareFar.close();
        severalNear.close();
        severalFar.close();
        Files.delete(directory);
    }
}
