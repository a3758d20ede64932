package org.segno.bench.udp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/**
 * Network between the sender and the receiver of one direction of a connection over the loopback interface. It passes
 * datagrams on when it is run, and drops one of the sender's on demand.
 */
public final class LossyNetwork implements AutoCloseable {
    private static final int LONGEST = 1 << 16;

    private final DatagramChannel front;
    private final DatagramChannel back;
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(LONGEST);
    private final SocketAddress receiver;
    private @Nullable SocketAddress sender;
    private boolean losesNext;

    /** Creates a network before the port of a receiver. */
    public LossyNetwork(int receiver) throws IOException {
        this.receiver = new InetSocketAddress(InetAddress.getLoopbackAddress(), receiver);
        this.front = open();
        this.back = open();
    }

    private static DatagramChannel open() throws IOException {
        final DatagramChannel channel =
                DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        return channel;
    }

    /** Returns the port that the sender is connected to. */
    public int port() {
        return front.socket().getLocalPort();
    }

    /** Drops the next datagram of the sender. */
    public void loseNext() {
        losesNext = true;
    }

    /** Returns true if the datagram that was to be dropped has been. */
    public boolean hasLost() {
        return !losesNext;
    }

    /** Passes on what has arrived. */
    public void run() {
        try {
            SocketAddress source = receive(front);
            while (source != null) {
                sender = source;
                if (losesNext) {
                    losesNext = false;
                } else {
                    back.send(datagram, receiver);
                }
                source = receive(front);
            }
            while (receive(back) != null) {
                if (sender != null) {
                    front.send(datagram, sender);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private @Nullable SocketAddress receive(DatagramChannel channel) throws IOException {
        datagram.clear();
        final SocketAddress source = channel.receive(datagram);
        datagram.flip();
        return source;
    }

    @Override
    public void close() throws IOException {
        front.close();
        back.close();
    }
}
