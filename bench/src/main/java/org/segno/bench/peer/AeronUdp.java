package org.segno.bench.peer;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.protocol.DataHeaderFlyweight;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.ServedSide;
import org.segno.bench.experiment.SharedText;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;

/**
 * One end of bare Aeron over UDP: an exclusive publication and a subscription for each stream, with the sizes of
 * Segno's links. All experiments of a process with the same {@link Kind} share it.
 */
final class AeronUdp implements AutoCloseable, ServedSide.Server {
    /** Stream of messages, and the only one of most connections. */
    static final int MESSAGES = 0;

    /** Second stream. */
    static final int RANGES = 1;

    /** Number of streams of a link. */
    static final int STREAMS_OF_LINK = 3;

    private static final int SHORT_MTU = 1_500;
    private static final int SHORT_TERM = 256 * 1024;
    private static final int LONG_TERM = 1024 * 1024;

    private static final Map<End, AeronUdp> OPEN = new ConcurrentHashMap<>();

    private final End end;
    private final UdpDriver driver;
    private final ExclusivePublication[] outs;
    private final Image[] ins;
    private final BufferClaim claim = new BufferClaim();
    private int users;

    /**
     * Settings of a connection.
     *
     * @param network network of the connection
     * @param mtu bytes of the longest datagram's payload
     * @param ownThread true if a thread of its own runs the driver, in place of the measuring thread
     * @param streams number of streams
     */
    record Kind(LinkNetwork network, int mtu, boolean ownThread, int streams) {
        String peer() {
            return Peers.BARE_LINKS + (ownThread ? ", yielding driver thread" : "")
                    + (streams == STREAMS_OF_LINK ? ", three streams" : "") + ", MTU " + mtu;
        }

        int termLength() {
            return mtu <= SHORT_MTU ? SHORT_TERM : LONG_TERM;
        }
    }

    private record End(Role role, Kind kind) {}

    private AeronUdp(End end, UdpDriver driver, ExclusivePublication[] outs, Image[] ins) {
        this.end = end;
        this.driver = driver;
        this.outs = outs;
        this.ins = ins;
    }

    /** Opens one end, or shares the open one. The first experiment's directory is used. */
    static AeronUdp share(Role role, Path directory, Kind kind) throws IOException {
        final End end = new End(role, kind);
        AeronUdp shared = OPEN.get(end);
        if (shared == null) {
            shared = open(end, directory);
            OPEN.put(end, shared);
        }
        shared.users++;
        return shared;
    }

    private static AeronUdp open(End end, Path directory) throws IOException {
        final Kind kind = end.kind;
        final UdpDriver driver = UdpDriver.launch(directory.resolve("aeron-" + end.role), kind.ownThread);
        final Subscription[] subscriptions = subscribe(end, driver);
        String endpoint = subscriptions[0].resolvedEndpoint();
        while (endpoint == null) {
            driver.housekeep();
            endpoint = subscriptions[0].resolvedEndpoint();
        }
        SharedText.write(directory.resolve("endpoint-" + end.role), endpoint);
        final String peer = SharedText.await(directory.resolve("endpoint-" + end.role.other()), driver::housekeep);
        final ExclusivePublication[] publications = new ExclusivePublication[kind.streams];
        final Image[] images = new Image[kind.streams];
        for (int stream = 0; stream < kind.streams; stream++) {
            publications[stream] = driver.aeron()
                    .addExclusivePublication(
                            "aeron:udp?endpoint=" + peer + "|mtu=" + kind.mtu + "|term-length=" + kind.termLength()
                                    + "|linger=0|so-sndbuf=" + UdpDriver.SOCKET_BUFFER,
                            id(stream));
        }
        for (int stream = 0; stream < kind.streams; stream++) {
            while (subscriptions[stream].hasNoImages() || !publications[stream].isConnected()) {
                driver.housekeep();
            }
            images[stream] = subscriptions[stream].imageAtIndex(0);
        }
        return new AeronUdp(end, driver, publications, images);
    }

    /** Returns Aeron's id of a stream. It reserves 0. */
    private static int id(int stream) {
        return stream + 1;
    }

    /** Subscribes to all streams, at one port. */
    private static Subscription[] subscribe(End end, UdpDriver driver) {
        final Kind kind = end.kind;
        final int window = Math.min(kind.termLength() / 2, driver.receiveBuffer());
        final String channel = "aeron:udp?endpoint=" + kind.network.address(end.role) + ":0|tags=1|rejoin=false"
                + "|rcv-wnd=" + window + "|so-rcvbuf=" + driver.receiveBuffer();
        final Subscription[] subscriptions = new Subscription[kind.streams];
        for (int stream = 0; stream < kind.streams; stream++) {
            subscriptions[stream] = driver.aeron().addSubscription(channel, id(stream));
        }
        return subscriptions;
    }

    /** Returns the length of the longest message, which fills a datagram. */
    int frameLimit() {
        return end.kind.mtu - DataHeaderFlyweight.HEADER_LENGTH;
    }

    /** Claims a message to be written to {@link #claimed}, waiting for room. */
    void claim(int length) {
        while (!tryClaim(MESSAGES, length)) {
            driver.turn();
        }
    }

    /** Claims a message of a stream to be written to {@link #claimed}. Returns false if there is no room. */
    boolean tryClaim(int stream, int length) {
        long position = outs[stream].tryClaim(length, claim);
        if (position == Publication.ADMIN_ACTION) {
            position = outs[stream].tryClaim(length, claim);
        }
        if (position < 0 && position != Publication.BACK_PRESSURED && position != Publication.NOT_CONNECTED) {
            throw new IllegalStateException("the publication is closed: " + position);
        }
        return position >= 0;
    }

    /** Returns the claimed message. */
    BufferClaim claimed() {
        return claim;
    }

    /** Receives at most {@code limit} messages that the driver has received. */
    int poll(FragmentHandler handler, int limit) {
        return poll(MESSAGES, handler, limit);
    }

    /** Receives at most {@code limit} messages of a stream that the driver has received. */
    int poll(int stream, FragmentHandler handler, int limit) {
        return ins[stream].poll(handler, limit);
    }

    /** Receives at most {@code limit} messages of each stream that the driver has received. */
    int pollAll(FragmentHandler handler, int limit) {
        int received = 0;
        for (final Image in : ins) {
            received += in.poll(handler, limit);
        }
        return received;
    }

    /** Runs a pass of the driver, or yields to its thread. */
    void turn() {
        driver.turn();
    }

    /** Runs a pass of the driver and one of the client. Called before each slice. */
    void prepare() {
        driver.housekeep();
    }

    @Override
    public void serve() {
        driver.turn();
    }

    @Override
    public boolean isAtRest() {
        return true;
    }

    /** Closes the end after its last user. */
    @Override
    public void close() {
        users--;
        if (users == 0) {
            OPEN.remove(end);
            driver.close();
        }
    }

    /** Returns a side during which the driver's thread works, and that serves until both ends have finished a slice. */
    Side served(Path directory, Side measured) throws IOException {
        final Side side = ServedSide.of(end.role, directory, new Gated(this, measured), this);
        side.leave();
        return side;
    }

    private record Gated(AeronUdp udp, Side measured) implements Side {
        @Override
        public void enter() {
            udp.driver.enter();
        }

        @Override
        public void slice(int operations, SliceFigures figures) {
            measured.slice(operations, figures);
        }

        @Override
        public void leave() {
            udp.driver.leave();
        }

        @Override
        public void close() {
            measured.close();
        }
    }
}
