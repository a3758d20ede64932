package org.segno.engine.job;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.engine.job.Roster.State;
import org.segno.status.OpenFiles;
import org.segno.status.SegnoException;

/**
 * The centre of a job. Every process is connected to it by a Unix-domain socket. It keeps the roster and notifies all
 * processes of changes.
 *
 * <p>The hub is one thread with one selector that waits without limit. The end of a socket without a goodbye is the
 * death of its ranks, and all others are notified at once. Nothing else counts as a death, so a stopped process is not
 * dead. No client can block the hub.
 *
 * <p>The hub removes or marks the job directory when all ranks have mapped everything, and removes it at once when a
 * rank is lost before that. It ends when it is closed, or by itself when every rank has left or died.
 */
public final class Hub implements AutoCloseable {
    /**
     * Notifications for the owner of a hub. All calls come from the hub's thread. They must be short and must not wait.
     */
    public interface Listener {
        /** Called when a rank has joined the hub; {@code pid} is the id that its process has sent. */
        default void joined(int rank, long pid) {}

        /** Called when all ranks have mapped everything: the job runs. */
        default void allJoined() {}

        /** Called when a rank has sent a goodbye and all others have been notified. */
        default void left(int rank) {}

        /**
         * Called when a rank's process has ended without a goodbye or has reported the rank as failed.
         *
         * <p>The call precedes the notification of the others, so none of them can have failed because of it.
         */
        default void dead(int rank) {}

        /** Called when the hub has failed, before it ends and the job with it. */
        default void failed(Throwable cause) {}
    }

    private static final Logger LOGGER = System.getLogger(Hub.class.getName());

    /** Maximum number of connections without a welcome, beyond the job's size. Above it, the oldest is dropped. */
    private static final int UNIDENTIFIED_LIMIT = 64;

    private static final long CLOSE_LIMIT_NS = 5_000_000_000L;
    private static final long ACCEPT_PAUSE_NS = 1_000_000;

    private final JobDirectory directory;
    private final boolean launcher;
    private final Listener listener;
    private final Selector selector;
    private final ServerSocketChannel server;
    private final Roster roster;
    private final HubConnection[] owners;
    private final List<HubConnection> members = new ArrayList<>();
    private final Deque<HubConnection> unidentified = new ArrayDeque<>();
    private final Thread thread = Platform.thread("segno-hub", this::run);

    // One log for each kind: a peer that keeps connecting must neither fill a disk nor hide the other warnings.
    private final BoundedLog unaccepted;
    private final BoundedLog silent;
    private final BoundedLog foreign;
    private final BoundedLog unread;

    private volatile boolean closing;

    /** Notification of the first process that had another job size. Used by the hub's thread only. */
    private @Nullable Frame rejection;

    private Hub(
            JobDirectory directory,
            int size,
            boolean launcher,
            Listener listener,
            Selector selector,
            ServerSocketChannel server) {
        this.directory = directory;
        this.launcher = launcher;
        this.listener = listener;
        this.selector = selector;
        this.server = server;
        roster = new Roster(size);
        owners = new HubConnection[size];
        final String name = "the hub in " + directory.path() + ' ';
        unaccepted = new BoundedLog(LOGGER, name);
        silent = new BoundedLog(LOGGER, name);
        foreign = new BoundedLog(LOGGER, name);
        unread = new BoundedLog(LOGGER, name);
    }

    /**
     * Starts the hub of a job, which from then on owns the directory.
     *
     * @param directory newly created
     * @param size number of ranks that will join
     * @param launcher whether processes end themselves when the hub is lost; true for the program that started them
     * @param listener receives the notifications
     * @return the hub; the caller closes it
     * @throws SegnoException if the socket cannot be created; the directory is then closed
     */
    public static Hub start(JobDirectory directory, int size, boolean launcher, Listener listener) {
        boolean started = false;
        try {
            final Hub hub = open(directory, size, launcher, listener);
            hub.thread.start();
            started = true;
            return hub;
        } catch (IOException | LinkageError e) {
            // At the limit of open files, the JDK cannot load the libraries of its sockets.
            throw new SegnoException(
                    "cannot make the hub's socket in " + directory.path() + ": " + e + "; "
                            + OpenFiles.remedy(e, "name another parent of job directories (" + JobVariables.DIR + ")"),
                    e);
        } finally {
            if (!started) {
                directory.close();
            }
        }
    }

    private static Hub open(JobDirectory directory, int size, boolean launcher, Listener listener) throws IOException {
        final Selector selector = Selector.open();
        try {
            final ServerSocketChannel server =
                    HubConnection.listen(directory.path(), selector, size + UNIDENTIFIED_LIMIT);
            return new Hub(directory, size, launcher, listener, selector, server);
        } catch (IOException | LinkageError e) {
            selector.close();
            throw e;
        }
    }

    /** Ends the hub and waits for its end. Removes the directory if not all ranks had joined. May be called twice. */
    @Override
    public void close() {
        closing = true;
        selector.wakeup();
        if (!Thread.currentThread().equals(thread)) {
            Platform.join(thread, CLOSE_LIMIT_NS);
        }
    }

    private void run() {
        try {
            while (!closing && roster.count(State.LEFT) < roster.size()) {
                selector.select(this::serve);
                // With the interrupt flag set, the selector would return at once.
                Thread.interrupted();
                flush();
            }
            // Frames that were sent before the request to close still count: a goodbye is not a death.
            selector.selectNow(this::serve);
            flush();
        } catch (IOException | RuntimeException | Error e) {
            failed(e);
        } finally {
            end();
        }
    }

    private void failed(Throwable cause) {
        try {
            notifyListener(() -> listener.failed(cause));
        } finally {
            LOGGER.log(Level.ERROR, "the hub in " + directory.path() + " has failed: the job ends", cause);
        }
    }

    /** Closes every connection, whatever fails before: the ranks detect the end of the hub by it. */
    private void end() {
        try (selector) {
            server.close();
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "cannot close the hub's socket in " + directory.path(), e);
        } finally {
            try {
                // The directory first: it is gone when a rank detects the end of its connection.
                directory.close();
            } finally {
                members.forEach(HubConnection::close);
                unidentified.forEach(HubConnection::close);
            }
        }
    }

    private void flush() {
        members.forEach(HubConnection::flush);
        unidentified.forEach(HubConnection::flush);
    }

    private void serve(SelectionKey key) {
        // With the interrupt flag set, a channel would close itself.
        Thread.interrupted();
        if (key.attachment() instanceof HubConnection connection) {
            // Frames are written after every pass, for all connections.
            if (key.isValid() && key.isReadable() && !connection.read(this::onFrame)) {
                drop(connection);
            }
        } else {
            accept();
        }
    }

    private void accept() {
        try {
            final SocketChannel channel = server.accept();
            if (channel != null) {
                unidentified.add(HubConnection.open(channel, selector, roster.size()));
            }
        } catch (IOException e) {
            // Most likely the limit of open files. The selector reports the connection again at once.
            unaccepted.warn("cannot accept a connection: " + e + "; " + OpenFiles.remedy(e, "it tries again"));
            Platform.park(ACCEPT_PAUSE_NS);
        }
        if (unidentified.size() > roster.size() + UNIDENTIFIED_LIMIT) {
            silent.warn("drops a connection that sends nothing");
            drop(unidentified.getFirst());
        }
    }

    private boolean onFrame(HubConnection connection, Frame frame) {
        if (frame.type() == Frame.HELLO) {
            return hello(connection, frame);
        }
        final int rank = frame.rank();
        final boolean known = rank >= 0 && rank < roster.size();
        if (frame.type() == Frame.GOODBYE && known) {
            // A process whose rank was refused may send a goodbye for it before it has read the refusal.
            return owners[rank] != connection || ended(rank, State.LEFT);
        }
        if (frame.type() == Frame.FAILED && known) {
            return owners[rank] != connection || ended(rank, State.DEAD);
        }
        if (!known || owners[rank] != connection) {
            return invalidFrame(frame);
        }
        return switch (frame.type()) {
            case Frame.MADE -> advance(rank, State.MADE, frame);
            case Frame.MAPPED ->
                roster.state(rank) == State.WELCOME ? invalidFrame(frame) : advance(rank, State.MAPPED, frame);
            default -> invalidFrame(frame);
        };
    }

    private boolean invalidFrame(Frame frame) {
        foreign.warn("drops a connection that sent what no member sends: " + frame);
        return false;
    }

    private boolean hello(HubConnection connection, Frame frame) {
        final int rank = frame.rank();
        if (frame.first() != Frame.VERSION) {
            return refuse(connection, rank, Frame.VERSION_DIFFERS, Frame.VERSION);
        }
        if (frame.second() != roster.size()) {
            reject(frame);
            return refuse(connection, rank, Frame.SIZE_DIFFERS, roster.size());
        }
        if (rank < 0 || rank >= roster.size() || owners[rank] == connection) {
            return invalidFrame(frame);
        }
        if (!roster.advance(rank, State.WELCOME)) {
            return refuse(connection, rank, Frame.RANK_TAKEN, roster.process(rank));
        }
        owners[rank] = connection;
        roster.process(rank, frame.third());
        final long hub = 2 * Platform.process() + (launcher ? 1 : 0);
        boolean sent = connection.send(new Frame(
                Frame.WELCOME, rank, directory.id().high(), directory.id().low(), hub));
        if (unidentified.remove(connection)) {
            members.add(connection);
            for (final Frame news : roster.past()) {
                sent &= connection.send(news);
            }
            if (rejection != null) {
                sent &= connection.send(rejection);
            }
        }
        notifyListener(() -> listener.joined(rank, Platform.pidOf(frame.third())));
        return sent;
    }

    /**
     * Notifies the members that wait for this rank of its refusal. Only once, so that no process can fill the members'
     * connections with it.
     */
    private void reject(Frame hello) {
        if (rejection == null) {
            rejection = Frame.of(Frame.REJECTED, hello.rank(), hello.second());
            broadcast(rejection);
        }
    }

    private static boolean refuse(HubConnection connection, int rank, long reason, long instead) {
        return connection.send(new Frame(Frame.REFUSED, rank, reason, instead, 0));
    }

    private boolean advance(int rank, State state, Frame news) {
        if (roster.advance(rank, state)) {
            broadcast(Frame.of(news.type(), rank, roster.process(rank)));
            if (roster.all(State.MAPPED)) {
                roster.go();
                directory.allMapped();
                broadcast(Frame.of(Frame.GO, 0));
                notifyListener(listener::allJoined);
            }
        }
        return true;
    }

    private boolean ended(int rank, State how) {
        if (roster.advance(rank, how)) {
            if (how == State.DEAD) {
                notifyListener(() -> listener.dead(rank));
            }
            broadcast(Frame.of(how == State.LEFT ? Frame.LEFT : Frame.DEAD, rank));
            // At once: if the hub's own process leaves, it may end next.
            flush();
            if (!roster.isGoing()) {
                // The job cannot start any more.
                directory.close();
            }
            if (how == State.LEFT) {
                notifyListener(() -> listener.left(rank));
            }
        }
        return true;
    }

    private void drop(HubConnection connection) {
        connection.close();
        if (unidentified.remove(connection)) {
            return;
        }
        members.remove(connection);
        for (int rank = 0; rank < owners.length; rank++) {
            if (owners[rank] == connection) {
                ended(rank, State.DEAD);
            }
        }
    }

    private void broadcast(Frame frame) {
        for (final HubConnection connection : List.copyOf(members)) {
            if (!connection.send(frame)) {
                unread.warn("drops a connection that reads nothing");
                drop(connection);
            }
        }
    }

    private void notifyListener(Runnable news) {
        try {
            news.run();
        } catch (RuntimeException e) {
            LOGGER.log(Level.ERROR, "the listener of the hub in " + directory.path() + " has failed", e);
        }
    }
}
