package org.segno.bench.udp;

import java.net.InetAddress;
import java.nio.file.Path;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;
import org.segno.link.Link;
import org.segno.transport.aeron.AeronAddress;
import org.segno.transport.aeron.AeronDriver;
import org.segno.transport.aeron.AeronEnd;
import org.segno.transport.aeron.AeronLink;
import org.segno.transport.aeron.LinkKey;

/** End of a link over Aeron and the loopback interface, and its driver. */
public final class LinkEnd implements AutoCloseable {
    private final int peer;
    private final int length;
    private final AeronDriver driver;
    private final AeronLink link;

    /**
     * Opens one end.
     *
     * @param directory existing directory for the driver's files
     * @param peer rank of the other end, 0 or 1
     * @param mtu bytes of the longest datagram's payload
     * @param length bytes of each message
     */
    public LinkEnd(Path directory, int peer, int mtu, int length) {
        this(directory, InetAddress.getLoopbackAddress(), peer, mtu, length);
    }

    /** Opens one end at an address of this host. */
    public LinkEnd(Path directory, InetAddress host, int peer, int mtu, int length) {
        this.peer = peer;
        this.length = length;
        this.driver = AeronDriver.launch(directory);
        this.link = AeronLink.open(driver, new AeronEnd(1 - peer, peer, 0), host, mtu, key(1 - peer));
    }

    private static LinkKey key(int to) {
        return LinkKey.derive(new byte[32], 1, 2, 1 - to, to, 0);
    }

    /** Returns the UDP port at which this end receives. */
    public int port() {
        return link.address().port();
    }

    /** Connects this end to the port at which the other one, or a network before it, receives. */
    public void connect(int port) {
        connect(InetAddress.getLoopbackAddress(), port);
    }

    /** Connects this end to the address and the port at which the other one receives. */
    public void connect(InetAddress host, int port) {
        link.connect(new AeronAddress(host, port), key(peer));
    }

    /** Returns true when both ends are connected. */
    public boolean isJoined() {
        return link.isJoined();
    }

    /** Runs the driver once. */
    public void run() {
        driver.run();
    }

    /** Sends a message, which leaves at once. */
    public void send(long value) {
        final long frame = claim(length);
        memory().putLong(frame + Frame.LENGTH, value);
        commit();
        flush();
    }

    /** Returns the length of the longest frame. */
    public int frameLimit() {
        return link.frameLimit();
    }

    /** Claims a frame of this many bytes, and waits for room. Returns its offset in {@link #memory}. */
    public long claim(int bytes) {
        long frame = link.claim(Frame.REQUESTS, bytes);
        while (frame == Link.NO_ROOM) {
            driver.run();
            frame = link.claim(Frame.REQUESTS, bytes);
        }
        return frame;
    }

    /** Returns the memory of claimed frames. */
    public Memory memory() {
        return link.memory();
    }

    /** Commits the claimed frame, which leaves with the next {@link #flush} at the latest. */
    public void commit() {
        link.commit(Frame.REQUESTS);
    }

    /** Sends all committed frames. */
    public void flush() {
        link.flush();
    }

    /** Receives at most one message that has arrived. Returns the number. */
    public int receive(FrameHandler handler) {
        return link.poll(Frame.REQUESTS, handler, 1);
    }

    /** Receives messages of all streams, at most so many of each. Returns their number. */
    public int receiveAll(FrameHandler handler, int limit) {
        int received = 0;
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            received += link.poll(stream, handler, limit);
        }
        return received;
    }

    @Override
    public void close() {
        driver.close();
    }
}
