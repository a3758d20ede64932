package org.segno.engine.job;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.status.OpenFiles;
import org.segno.status.SegnoException;

/**
 * The TCP port at which the hubs of other hosts arrive. A caller becomes a member once it has proven that it knows the
 * job's secret. Used by the hub's thread only.
 */
final class HubPort {
    private static final System.Logger LOGGER = System.getLogger(Hub.class.getName());

    /** Maximum number of callers that have not proven anything. Above it, the oldest is dropped. */
    private static final int CALLERS_LIMIT = 64;

    /** Intervals of the hub's clock in which a caller must have proven that it knows the secret. */
    private static final int HANDSHAKE_TICKS = 20;

    private static final long ACCEPT_PAUSE_NS = 1_000_000;

    private final ServerSocketChannel server;
    private final Selector selector;
    private final JobSecret secret;
    private final BoundedLog unaccepted;
    private final BoundedLog strangers;
    private final Deque<Caller> callers = new ArrayDeque<>();

    private HubPort(ServerSocketChannel server, Selector selector, JobSecret secret, Path directory) {
        this.server = server;
        this.selector = selector;
        this.secret = secret;
        final String name = "the hub in " + directory + ' ';
        this.unaccepted = new BoundedLog(LOGGER, name);
        this.strangers = new BoundedLog(LOGGER, name);
    }

    /**
     * Listens at the first free port.
     *
     * @throws SegnoException if none is free
     */
    static HubPort listen(HubAddress address, Selector selector, JobSecret secret, Path directory) throws IOException {
        for (int port = address.firstPort(); port <= address.lastPort(); port++) {
            final ServerSocketChannel server = ServerSocketChannel.open();
            try {
                server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
                server.bind(new InetSocketAddress(address.address(), port), CALLERS_LIMIT);
                server.configureBlocking(false);
                final HubPort made = new HubPort(server, selector, secret, directory);
                server.register(selector, SelectionKey.OP_ACCEPT, made);
                return made;
            } catch (BindException e) {
                server.close();
                if (port == address.lastPort()) {
                    throw new SegnoException("the hub cannot listen at " + text(address.address()) + " port "
                            + address.firstPort()
                            + (address.firstPort() == address.lastPort() ? "" : " to " + address.lastPort()) + ": "
                            + e.getMessage() + "; name an address of this host and a free port");
                }
            } catch (IOException | RuntimeException e) {
                server.close();
                throw e;
            }
        }
        throw new IllegalStateException("no port: " + address);
    }

    private static String text(@Nullable InetAddress address) {
        return address == null ? "any address" : address.getHostAddress();
    }

    int port() {
        return server.socket().getLocalPort();
    }

    /** A connection that has not proven anything yet. */
    final class Caller {
        private final SocketChannel channel;
        private final ByteBuffer greeting = ByteBuffer.allocate(HubHandshake.GREETING_LENGTH);
        private final ByteBuffer proof = ByteBuffer.allocate(JobSecret.LENGTH);
        private final byte[] number = HubHandshake.draw();
        private int ticks;

        private Caller(SocketChannel channel) {
            this.channel = channel;
        }

        /** Goes on with what has arrived. Returns true once the caller has proven that it knows the secret. */
        boolean proceed() throws IOException {
            if (greeting.hasRemaining()) {
                if (channel.read(greeting) < 0) {
                    throw new IOException("it has ended");
                }
                if (greeting.hasRemaining()) {
                    return false;
                }
                if (!HubHandshake.isGreeting(greeting)) {
                    throw new IOException("it is no hub of this release");
                }
                final ByteBuffer answer = HubHandshake.answer(secret, HubHandshake.callersNumber(greeting), number);
                if (channel.write(answer) < HubHandshake.ANSWER_LENGTH) {
                    throw new IOException("it reads nothing");
                }
            }
            if (channel.read(proof) < 0) {
                throw new IOException(
                        "it has ended without a proof that it knows the job's secret: it has another one ("
                                + JobVariables.SECRET_FILE + "), or has been killed");
            }
            if (proof.hasRemaining()) {
                return false;
            }
            if (!JobSecret.areEqual(
                    HubHandshake.callersProof(secret, HubHandshake.callersNumber(greeting), number), proof.array())) {
                throw new IOException("it does not know the job's secret");
            }
            return true;
        }

        InetAddress remoteAddress() throws IOException {
            return ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
        }

        InetAddress localAddress() throws IOException {
            return ((InetSocketAddress) channel.getLocalAddress()).getAddress();
        }

        /** Makes a connection of the caller, which has proven that it knows the secret. */
        HubConnection connection(int size, int host) throws IOException {
            return HubConnection.open(channel, selector, size, host);
        }
    }

    void accept() {
        try {
            final SocketChannel channel = server.accept();
            if (channel != null) {
                channel.configureBlocking(false);
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                final Caller caller = new Caller(channel);
                channel.register(selector, SelectionKey.OP_READ, caller);
                callers.add(caller);
            }
        } catch (IOException e) {
            unaccepted.warn(
                    "cannot accept a connection of a host: " + e + "; " + OpenFiles.remedy(e, "it tries again"));
            Platform.park(ACCEPT_PAUSE_NS);
        }
        if (callers.size() > CALLERS_LIMIT) {
            drop(callers.getFirst(), "too many others call");
        }
    }

    /** Returns true if the caller has just proven that it knows the secret. Drops one that has not, or has ended. */
    boolean proceed(Caller caller) {
        try {
            if (caller.proceed()) {
                callers.remove(caller);
                return true;
            }
        } catch (IOException e) {
            drop(caller, String.valueOf(e.getMessage()));
        }
        return false;
    }

    /** Counts an interval of the hub's clock. */
    void tick() {
        for (final Caller caller : List.copyOf(callers)) {
            caller.ticks++;
            if (caller.ticks > HANDSHAKE_TICKS) {
                drop(caller, "it has proven nothing in time");
            }
        }
    }

    /** Closes the connection of a caller. */
    void drop(Caller caller, String why) {
        callers.remove(caller);
        strangers.warn("drops a connection of " + caller.channel.socket().getRemoteSocketAddress() + ": " + why);
        close(caller.channel);
    }

    void close() {
        close(server);
        callers.forEach(caller -> close(caller.channel));
    }

    private static void close(java.nio.channels.Channel channel) {
        try {
            channel.close();
        } catch (IOException ignored) {
            // The channel needs no further action.
            return;
        }
    }
}
