package org.segno.transport.aeron;

import static java.util.Objects.requireNonNull;

import io.aeron.Subscription;
import io.aeron.logbuffer.BufferClaim;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.MemoryView;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;
import org.segno.link.Link;
import org.segno.link.LinkState;

/**
 * End of a link over Aeron. Each stream is a publication to the peer and an image of the peer's. Frames are written and
 * read in Aeron's logs.
 *
 * <p>The end has a UDP port, so that a socket receives from one sender alone. It is opened first, and has room once it
 * is connected to the address of the peer's end and the peer to its own. A pass that has committed frames runs the
 * driver until they have left; a round of polls runs it once.
 *
 * <p>The link is ended when the peer has ended a stream. It is down when a stream of either direction is lost, when the
 * peer no longer receives, when a malformed frame arrives, and when the driver has ended.
 */
public final class AeronLink implements Link {
    private static final Logger LOGGER = System.getLogger(AeronLink.class.getName());

    /**
     * Bytes of whole datagrams that leave before the flush, so that the peer receives them while the engine goes on.
     * Several leave together: measured, long PUTs are faster so.
     */
    private static final int TOGETHER = 1 << 15;

    /** A closed end is released after this time, if its peer does not end the link. */
    private static final long RELEASE_NS = TimeUnit.SECONDS.toNanos(10);

    private final AeronDriver driver;
    private final AeronEnd end;
    private final LinkSizes sizes;
    private final AeronAddress address;
    private final Refusals refusals;
    private final LinkCounter counter;
    private final ReceiveStream[] receives = new ReceiveStream[Frame.STREAMS];
    private final @Nullable SendStream[] sends = new SendStream[Frame.STREAMS];
    private final boolean[] wasConnected = new boolean[Frame.STREAMS];
    private final MemoryView outgoing;
    private final BufferClaim claim = new BufferClaim();

    /** Shortages of room before this end was opened. */
    private final int shortages;

    private @Nullable CheckedSender sender;

    /** The peer's end, to which this one is not connected yet. */
    private volatile @Nullable Met met;

    /** True from a claim to its commit. */
    private boolean isClaimed;

    /** Bytes of the log that were committed since datagrams were last sent. */
    private int due;

    /** True while committed frames may not have left. */
    private boolean isCommitted;

    /** True once the peer's end is down for a reason that its streams do not show. */
    private volatile boolean isLost;

    /** Called when this end fails for a reason that the peer cannot find out from the streams. */
    private Runnable failure = () -> {};

    private boolean isDown;

    /** True once this end is down because the peer has ended the link. */
    private boolean isEnded;

    private boolean isClosed;
    private long releaseNs;

    /** Whole pass of the driver after which the streams were checked last. */
    private long checkedPass = -1;

    private AeronLink(
            AeronDriver driver, AeronEnd end, LinkAccess access, AeronAddress address, Subscription[] subscriptions) {
        this.driver = driver;
        this.end = end;
        this.sizes = access.sizes();
        this.refusals = access.refusals();
        this.address = address;
        this.counter = driver.counts().ofLink(end, access, address);
        this.shortages = driver.shortages();
        this.outgoing = new MemoryView(sizes.frameLimit());
        final MemoryView incoming = new MemoryView(sizes.frameLimit());
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            receives[stream] = new ReceiveStream(subscriptions[stream], access, stream, incoming);
        }
    }

    /**
     * Opens an end of a link, which listens at a free port.
     *
     * @param end the nodes and the engine that it links
     * @param host address of the interface to listen at
     * @param mtu bytes of the longest datagram's payload, the same at both ends: a multiple of 32
     * @param incoming key of the frames that the peer sends. Datagrams without its tag are dropped
     * @throws IllegalArgumentException if the mtu is invalid, or too long for the socket buffers of this host
     * @throws io.aeron.exceptions.RegistrationException if the driver cannot listen there
     * @throws org.segno.status.SegnoException if there is no room for its logs
     */
    public static AeronLink open(AeronDriver driver, AeronEnd end, InetAddress host, int mtu, LinkKey incoming) {
        final LinkSizes sizes = new LinkSizes(mtu, driver.socketBuffer());
        final LinkAccess access = new LinkAccess(incoming, sizes, driver.refusalsOfLink(end.peer()));
        return driver.exclusively(() -> listen(driver, end, host, access));
    }

    private static AeronLink listen(AeronDriver driver, AeronEnd end, InetAddress host, LinkAccess access) {
        final Subscription[] subscriptions = new Subscription[Frame.STREAMS];
        driver.requireRoom(end.peer(), access.sizes());
        // The tag is that of the socket, which all streams share.
        final long tag = driver.expect(access);
        try {
            final String channel = new AeronAddress(host, 0).channel(access.key(), tag) + "|rejoin=false|rcv-wnd="
                    + access.sizes().window(Frame.REQUESTS) + "|so-rcvbuf=" + driver.socketBuffer();
            for (int stream = 0; stream < Frame.STREAMS; stream++) {
                subscriptions[stream] = driver.subscribe(channel, stream);
            }
            final String resolved = requireNonNull(subscriptions[0].resolvedEndpoint(), "port");
            final int port = Integer.parseInt(resolved.substring(resolved.lastIndexOf(':') + 1));
            final AeronLink link = new AeronLink(driver, end, access, new AeronAddress(host, port), subscriptions);
            driver.opened(link);
            return link;
        } catch (final RuntimeException e) {
            for (final Subscription opened : subscriptions) {
                if (opened != null) {
                    opened.close();
                }
            }
            throw driver.reason(host, e);
        } finally {
            driver.made(tag);
        }
    }

    /** Returns the address that the peer's end connects to. */
    public AeronAddress address() {
        return address;
    }

    /**
     * Connects this end to that of the peer, once.
     *
     * @param outgoing key of the frames that this end sends, the peer's incoming one
     * @throws IllegalStateException if it is connected
     * @throws io.aeron.exceptions.RegistrationException if the driver cannot send there
     */
    public void connect(AeronAddress peer, LinkKey outgoing) {
        if (sends[0] != null || isClosed) {
            throw new IllegalStateException("the link is connected or closed: peer=" + rank());
        }
        final LinkAccess access = new LinkAccess(outgoing, sizes, refusals);
        driver.exclusively(() -> {
            publish(peer, access);
            return this;
        });
    }

    private void publish(AeronAddress peer, LinkAccess access) {
        final long tag = driver.expect(access);
        try {
            final String channel = peer.channel(access.key(), tag) + "|mtu=" + sizes.mtu() + "|linger="
                    + DriverSettings.LINGER_NS + "ns|so-sndbuf=" + DriverSettings.SOCKET_BUFFER;
            for (int stream = 0; stream < Frame.STREAMS; stream++) {
                final int termId = access.initialTermId(stream);
                sends[stream] = driver.publish(
                        channel + "|term-length=" + sizes.termLength(stream) + "|init-term-id=" + termId + "|term-id="
                                + termId + "|term-offset=0",
                        stream,
                        sizes);
            }
        } finally {
            sender = driver.made(tag);
        }
        counter.connected(access.key(), peer);
    }

    /** Sends again what shows the peer the end of what was sent, if that is due. Within a turn. */
    void showSent() {
        if (sender != null) {
            sender.showSent();
        }
    }

    LinkSizes sizes() {
        return sizes;
    }

    /** Returns the number of datagrams that this end has dropped for a reason. */
    public long refused(DatagramRefusal reason) {
        return refusals.count(reason);
    }

    /** Lets the engine connect this end to that of the peer in one of its next passes. Any thread, once. */
    void meet(AeronAddress peer, LinkKey outgoing) {
        met = new Met(peer, outgoing);
    }

    /** Sets what is run when this end fails, unless the peer has ended the link. Before its first use. */
    void onFailure(Runnable told) {
        failure = told;
    }

    /** Lets the link go down: the peer's end has failed. Any thread. */
    void lose() {
        isLost = true;
    }

    private void fail() {
        if (!isDown) {
            isDown = true;
            failure.run();
        }
    }

    /** The peer's end of a link, and the key of what is sent to it. */
    private record Met(AeronAddress peer, LinkKey outgoing) {}

    private void connectTo(Met there) {
        met = null;
        try {
            connect(there.peer, there.outgoing);
        } catch (final RuntimeException e) {
            LOGGER.log(Level.ERROR, "the link to rank " + rank() + " is down: cannot send to " + there.peer.host(), e);
            fail();
        }
    }

    /** Returns true once both ends are connected. */
    public boolean isJoined() {
        check();
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            if (!wasConnected[stream] || !receives[stream].hasBegun()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int rank() {
        return end.peer();
    }

    @Override
    public LinkState state() {
        check();
        if (!isDown) {
            return LinkState.UP;
        }
        return isEnded && !isClosed ? LinkState.ENDED : LinkState.DOWN;
    }

    /** Checks the streams, after a pass of all agents of the driver. */
    private void check() {
        if (!driver.isRunning()) {
            fail();
        }
        isDown |= isLost;
        final Met there = met;
        if (there != null && !isDown) {
            connectTo(there);
        }
        final long pass = driver.wholePasses();
        if (isDown || pass == checkedPass) {
            return;
        }
        checkedPass = pass;
        boolean hasFailed = false;
        boolean isJoined = true;
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            isJoined &= receives[stream].hasBegun();
            hasFailed |= receives[stream].hasEnded() || hasFailed(stream);
            isEnded |= receives[stream].isAtEnd();
        }
        if (!isJoined && driver.shortages() != shortages) {
            LOGGER.log(
                    Level.ERROR,
                    "the link to rank {0} is down: no room for what it sends: {1}",
                    rank(),
                    driver.shortage());
            hasFailed = true;
        }
        if (isEnded) {
            isDown = true;
        } else if (hasFailed) {
            fail();
        }
    }

    private boolean hasFailed(int stream) {
        final SendStream send = sends[stream];
        if (send == null) {
            return false;
        }
        final boolean isConnected = send.isConnected();
        final boolean isLost = wasConnected[stream] && !isConnected;
        wasConnected[stream] |= isConnected;
        if (send.isAtEnd()) {
            LOGGER.log(
                    Level.ERROR,
                    "the link to rank {0} is down: stream {1} has sent as many terms as Aeron can number; start a job"
                            + " that sends so much again before that",
                    rank(),
                    stream);
            return true;
        }
        return isLost || send.isClosed();
    }

    @Override
    public int frameLimit() {
        return sizes.frameLimit();
    }

    @Override
    public long capacity(int stream) {
        return sizes.capacity(stream);
    }

    @Override
    public long room(int stream) {
        check();
        final SendStream send = sends[stream];
        if (isDown || send == null) {
            return 0;
        }
        return send.room();
    }

    @Override
    public boolean hasRoom(int stream, long bytes) {
        final boolean hasRoom = room(stream) >= bytes;
        if (!hasRoom && !isDown && sends[stream] != null) {
            driver.blocked();
        }
        return hasRoom;
    }

    @Override
    public long claim(int stream, int length) {
        assert length >= Frame.LENGTH && length <= sizes.frameLimit() && length % Frame.ALIGNMENT == 0;
        check();
        final SendStream send = sends[stream];
        if (isDown || send == null) {
            return NO_ROOM;
        }
        dropClaim();
        isClaimed = send.tryClaim(length, claim, outgoing);
        if (!isClaimed) {
            driver.blocked();
            driver.counts().backPressured();
            counter.backPressured();
            return NO_ROOM;
        }
        return 0;
    }

    /** Lets the receiver skip a claimed frame that was not committed. */
    void dropClaim() {
        if (isClaimed) {
            claim.abort();
            isClaimed = false;
        }
    }

    @Override
    public Memory memory() {
        return outgoing.memory();
    }

    @Override
    public void commit(int stream) {
        if (isClaimed) {
            due += LinkSizes.logged(claim.length());
            claim.commit();
            isClaimed = false;
            isCommitted = true;
            if (due >= Math.max(sizes.mtu(), TOGETHER) && !sizes.isShort()) {
                sendCommitted(false, sizes.mtu());
            }
        }
    }

    @Override
    public void flush() {
        if (!isCommitted || isDown || !driver.isRunning()) {
            return;
        }
        sendCommitted(true, 1);
    }

    /**
     * Sends datagrams while {@code least} bytes or more have not left and the window allows it. The first pass of the
     * driver may receive.
     */
    private void sendCommitted(boolean receives, long least) {
        long unsent = unsent();
        boolean isFirst = true;
        due = 0;
        for (long before = Long.MAX_VALUE; unsent >= least && unsent < before; unsent = unsent()) {
            before = unsent;
            driver.send(receives && isFirst);
            isFirst = false;
        }
        isCommitted = unsent > 0;
    }

    /** Returns the bytes that have not left. */
    long unsent() {
        long unsent = 0;
        for (final SendStream send : sends) {
            unsent += send == null || send.isClosed() ? 0 : send.unsent();
        }
        return unsent;
    }

    @Override
    public int poll(int stream, FrameHandler handler, int limit) {
        driver.polled();
        check();
        final ReceiveStream receive = receives[stream];
        final int frames = receive.poll(handler, limit, driver.logged());
        if (frames != 0) {
            driver.taken(receive.bytes());
        }
        if (receive.isMalformed()) {
            fail();
        }
        return frames;
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isDown = true;
        if (driver.isRunning()) {
            driver.exclusively(() -> {
                driver.end(List.of(this));
                return this;
            });
        }
    }

    /** Ends the streams to the peer, within a turn. */
    void closeSends() {
        isClosed = true;
        isDown = true;
        for (final SendStream send : sends) {
            if (send != null) {
                send.close();
            }
        }
        releaseNs = driver.timeNs() + RELEASE_NS;
    }

    /** Releases a closed end, within a turn, unless received frames may still be polled. */
    boolean tryRelease(long nowNs) {
        boolean isFinished = nowNs - releaseNs > 0;
        if (!isFinished) {
            isFinished = true;
            for (final ReceiveStream receive : receives) {
                isFinished &= receive.isFinished();
            }
        }
        if (isFinished) {
            for (final ReceiveStream receive : receives) {
                receive.close();
            }
            counter.close();
        }
        return isFinished;
    }
}
