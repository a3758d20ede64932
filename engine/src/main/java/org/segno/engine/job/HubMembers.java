package org.segno.engine.job;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.status.OpenFiles;

/**
 * The sockets of a hub: the one at which the processes of its host arrive, and the connections of all members. Used by
 * the hub's thread only.
 */
final class HubMembers {
    private static final Logger LOGGER = System.getLogger(Hub.class.getName());

    /** Maximum number of connections without a welcome, beyond the job's size. Above it, the oldest is dropped. */
    private static final int UNIDENTIFIED_LIMIT = 64;

    private static final long ACCEPT_PAUSE_NS = 1_000_000;

    private final Path directory;
    private final int size;
    private final Selector selector;
    private final ServerSocketChannel server;
    private final List<HubConnection> members = new ArrayList<>();
    private final Deque<HubConnection> unidentified = new ArrayDeque<>();

    // One log for each kind: a peer that keeps connecting must neither fill a disk nor hide the other warnings.
    private final BoundedLog unaccepted;
    private final BoundedLog silent;
    private final BoundedLog foreign;
    private final BoundedLog unread;

    private HubMembers(Path directory, int size, Selector selector, ServerSocketChannel server) {
        this.directory = directory;
        this.size = size;
        this.selector = selector;
        this.server = server;
        final String name = "the hub in " + directory + ' ';
        unaccepted = new BoundedLog(LOGGER, name);
        silent = new BoundedLog(LOGGER, name);
        foreign = new BoundedLog(LOGGER, name);
        unread = new BoundedLog(LOGGER, name);
    }

    /** Opens the socket of a hub in its directory. */
    static HubMembers listen(Path directory, int size, Selector selector) throws IOException {
        final ServerSocketChannel server = HubConnection.listen(directory, selector, size + UNIDENTIFIED_LIMIT);
        return new HubMembers(directory, size, selector, server);
    }

    /** Accepts a connection of a process of this host. */
    void accept(Consumer<HubConnection> onDrop) {
        try {
            final SocketChannel channel = server.accept();
            if (channel != null) {
                unidentified.add(HubConnection.open(channel, selector, size, 0));
            }
        } catch (IOException e) {
            // Most likely the limit of open files. The selector reports the connection again at once.
            unaccepted.warn("cannot accept a connection: " + e + "; " + OpenFiles.remedy(e, "it tries again"));
            Platform.park(ACCEPT_PAUSE_NS);
        }
        if (unidentified.size() > size + UNIDENTIFIED_LIMIT) {
            silent.warn("drops a connection that sends nothing");
            onDrop.accept(unidentified.getFirst());
        }
    }

    /** Adds a member that did not arrive at the socket of this host. */
    void add(HubConnection member) {
        members.add(member);
    }

    /** Returns true if the connection has just become a member. */
    boolean identify(HubConnection connection) {
        return unidentified.remove(connection) && members.add(connection);
    }

    /** Closes a connection. Returns true if it was a member. */
    boolean remove(HubConnection connection) {
        connection.close();
        return !unidentified.remove(connection) && members.remove(connection);
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    /** Sends a frame to all members. {@code onDrop} receives those that do not read. */
    void broadcast(Frame frame, Consumer<HubConnection> onDrop) {
        for (final HubConnection connection : List.copyOf(members)) {
            if (!connection.send(frame)) {
                unread.warn("drops a connection that reads nothing");
                onDrop.accept(connection);
            }
        }
    }

    /**
     * Counts an interval of the clock for the members of other hosts. {@code onDrop} receives the silent ones.
     *
     * @param limit intervals after which a host is silent
     * @param text the host of a number for people
     */
    void tick(int limit, IntFunction<String> text, Consumer<HubConnection> onDrop) {
        for (final HubConnection connection : List.copyOf(members)) {
            if (connection.host() != 0 && !connection.tick(limit)) {
                silent.warn("drops " + text.apply(connection.host()) + ": it has been silent for "
                        + limit * HubLoop.TICK_MS + " ms; " + HubNetwork.SILENCE_REMEDY);
                onDrop.accept(connection);
            }
        }
    }

    /** Logs what no member sends. Returns false: the connection is dropped. */
    boolean refuseForeign(Frame frame) {
        foreign.warn("drops a connection that sent what no member sends: " + frame);
        return false;
    }

    void flush() {
        members.forEach(HubConnection::flush);
        unidentified.forEach(HubConnection::flush);
    }

    /**
     * Closes every connection, whatever fails before: the ranks detect the end of the hub by it.
     *
     * @param first carried out before the connections close
     */
    void close(Runnable first) {
        try {
            server.close();
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "cannot close the hub's socket in " + directory, e);
        } finally {
            try {
                first.run();
            } finally {
                members.forEach(HubConnection::close);
                unidentified.forEach(HubConnection::close);
            }
        }
    }

    /** Returns true if the key is that of the socket at which processes arrive. */
    boolean isArrival(SelectionKey key) {
        return key.channel() == server;
    }
}
