package org.segno.bench.recovery;

import io.aeron.logbuffer.FragmentHandler;
import java.io.IOException;
import java.nio.file.Path;
import org.segno.bench.udp.BareEnd;
import org.segno.bench.udp.LinkEnd;
import org.segno.bench.udp.LossyNetwork;
import org.segno.link.FrameHandler;

/** Messages from one end of a connection to the other through a network that loses some. One thread runs all parts. */
abstract class LossyConnection implements AutoCloseable {
    private static final int MTU = 1408;
    private static final int LENGTH = 64;

    private final LossyNetwork network;
    private long received;

    private LossyConnection(LossyNetwork network) {
        this.network = network;
    }

    LossyNetwork network() {
        return network;
    }

    /** Sends a message. */
    abstract void send();

    /** Runs both drivers and the network once. */
    abstract void run();

    /** Returns the number of received messages. */
    long received() {
        return received;
    }

    void count() {
        received++;
    }

    /** Opens a link over Aeron. */
    static LossyConnection link(Path directory) throws IOException {
        final LinkEnd near = new LinkEnd(directory, 1, MTU, LENGTH);
        final LinkEnd far = new LinkEnd(directory, 0, MTU, LENGTH);
        final LossyConnection connection = new OverLink(new LossyNetwork(far.port()), near, far);
        near.connect(connection.network.port());
        far.connect(near.port());
        while (!near.isJoined() || !far.isJoined()) {
            connection.run();
        }
        return connection;
    }

    /** Opens bare Aeron with its default settings. */
    static LossyConnection bareAeron(Path directory) throws IOException {
        final BareEnd near = new BareEnd(directory.resolve("near"), 1, MTU, LENGTH);
        final BareEnd far = new BareEnd(directory.resolve("far"), 1, MTU, LENGTH);
        final LossyConnection connection = new OverAeron(new LossyNetwork(far.port()), near, far);
        near.connect(connection.network.port());
        far.connect(near.port());
        while (!near.isJoined() || !far.isJoined()) {
            connection.run();
        }
        return connection;
    }

    @Override
    public void close() throws IOException {
        network.close();
    }

    private static final class OverLink extends LossyConnection {
        private final LinkEnd near;
        private final LinkEnd far;
        private final FrameHandler counting = (memory, offset, length) -> {
            count();
            return true;
        };

        OverLink(LossyNetwork network, LinkEnd near, LinkEnd far) {
            super(network);
            this.near = near;
            this.far = far;
        }

        @Override
        void send() {
            near.send(0);
        }

        @Override
        void run() {
            near.run();
            network().run();
            far.run();
            far.receive(counting);
        }

        @Override
        public void close() throws IOException {
            near.close();
            far.close();
            super.close();
        }
    }

    private static final class OverAeron extends LossyConnection {
        private final BareEnd near;
        private final BareEnd far;
        private final FragmentHandler counting = (buffer, offset, length, header) -> count();

        OverAeron(LossyNetwork network, BareEnd near, BareEnd far) {
            super(network);
            this.near = near;
            this.far = far;
        }

        @Override
        void send() {
            near.send(0);
        }

        @Override
        void run() {
            near.run();
            network().run();
            far.run();
            if (far.isJoined()) {
                far.receive(counting);
            }
        }

        @Override
        public void close() throws IOException {
            near.close();
            far.close();
            super.close();
        }
    }
}
