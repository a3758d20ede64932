package org.segno.engine.job;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.engine.job.Roster.State;
import org.segno.status.OpenFiles;
import org.segno.status.SegnoException;

/**
 * The centre of a job. Every process of its host is connected to it by a Unix-domain socket, and the hub of every other
 * host ({@link HostHub}) by TCP. It keeps the roster and notifies all processes of changes.
 *
 * <p>The hub is one thread with one selector, which in a job of one host waits without limit. The end of a socket
 * without a goodbye is the death of its ranks, and all others are notified at once. A host that is silent for a time is
 * dead with its ranks. Nothing else counts as a death, so a stopped process is not dead. No client can block the hub.
 *
 * <p>The hub removes or marks the job directory when all ranks have mapped everything; if transports have files in it,
 * the node files alone. It removes the directory at once when a rank is lost before that. It ends when it is closed, or
 * by itself when every rank has left or died.
 */
public final class Hub implements LocalHub {
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

    private final JobDirectory directory;
    private final boolean launcher;
    private final Listener listener;
    private final HubMembers members;
    private final @Nullable HubPort port;
    private final JobSecret secret;
    private final int silenceTicks;
    private final Roster roster;
    private final HubConnection[] owners;
    private final HubLoop loop;
    private int hosts;

    /** True once a rank has asked for the secret of links, whose transport then has files in the directory. */
    private boolean isLinked;

    /** Notification of the first process that had another job size. Used by the hub's thread only. */
    private @Nullable Frame rejection;

    private Hub(Parts parts, int size, boolean launcher, Listener listener) {
        this.directory = parts.directory;
        this.launcher = launcher;
        this.listener = listener;
        this.members = parts.members;
        this.port = parts.port;
        this.secret = parts.secret;
        this.silenceTicks = parts.silenceTicks;
        roster = new Roster(size);
        owners = new HubConnection[size];
        loop = new HubLoop("segno-hub", parts.selector, port != null, new Service());
    }

    private record Parts(
            JobDirectory directory,
            Selector selector,
            HubMembers members,
            @Nullable HubPort port,
            JobSecret secret,
            int silenceTicks) {}

    /**
     * Starts the hub of a job, which from then on owns the directory. All ranks are on this host.
     *
     * @param directory newly created
     * @param size number of ranks that will join
     * @param launcher whether processes end themselves when the hub is lost; true for the program that started them
     * @param listener receives the notifications
     * @return the hub; the caller closes it
     * @throws SegnoException if the socket cannot be created; the directory is then closed
     */
    public static Hub start(JobDirectory directory, int size, boolean launcher, Listener listener) {
        return start(directory, size, launcher, listener, null);
    }

    /**
     * Starts the hub of a job, as {@link #start(JobDirectory, int, boolean, Listener)} does, to which the hubs of other
     * hosts connect by TCP.
     *
     * @param hosts address, secret and limits between hosts
     * @throws SegnoException if the address is taken, or a socket cannot be created; the directory is then closed
     */
    public static Hub start(
            JobDirectory directory, int size, boolean launcher, Listener listener, @Nullable HubNetwork hosts) {
        boolean started = false;
        try {
            final Hub hub = open(directory, size, launcher, listener, hosts);
            hub.loop.start();
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

    private static Hub open(
            JobDirectory directory, int size, boolean launcher, Listener listener, @Nullable HubNetwork hosts)
            throws IOException {
        final Selector selector = Selector.open();
        @Nullable HubPort port = null;
        boolean isOpen = false;
        try {
            if (hosts != null) {
                port = HubPort.listen(hosts.address(), selector, hosts.secret(), directory.path());
            }
            final HubMembers members = HubMembers.listen(directory.path(), size, selector);
            final JobSecret secret = hosts == null ? JobSecret.random() : hosts.secret();
            final int silence = hosts == null ? 1 : hosts.silenceTicks();
            final Hub hub =
                    new Hub(new Parts(directory, selector, members, port, secret, silence), size, launcher, listener);
            isOpen = true;
            return hub;
        } finally {
            if (!isOpen) {
                if (port != null) {
                    port.close();
                }
                selector.close();
            }
        }
    }

    /**
     * Returns the TCP port to which hubs of other hosts connect.
     *
     * @throws IllegalStateException if the hub serves one host only
     */
    public int port() {
        if (port == null) {
            throw new IllegalStateException("the hub serves one host only");
        }
        return port.port();
    }

    @Override
    public void keepProcess() {
        loop.keepProcess();
    }

    /** Ends the hub and waits for its end. Removes the directory if not all ranks had joined. May be called twice. */
    @Override
    public void close() {
        loop.close();
    }

    /** What the hub's thread does. */
    private final class Service implements HubLoop.Work {
        @Override
        public boolean isOver() {
            return hasEnded();
        }

        @Override
        public void serve(SelectionKey key) {
            Hub.this.serve(key);
        }

        @Override
        public void tick() {
            if (port != null) {
                port.tick();
            }
            members.tick(silenceTicks, Hub.this::describe, Hub.this::drop);
        }

        @Override
        public void flush() {
            members.flush();
        }

        @Override
        public void failed(Throwable cause) {
            try {
                notifyListener(() -> listener.failed(cause));
            } finally {
                LOGGER.log(Level.ERROR, "the hub in " + directory.path() + " has failed: the job ends", cause);
            }
        }

        /** Closes every connection, whatever fails before: the ranks detect the end of the hub by it. */
        @Override
        public void end() {
            if (port != null) {
                port.close();
            }
            // The directory first: it is gone when a rank detects the end of its connection.
            members.close(directory::close);
        }
    }

    private void serve(SelectionKey key) {
        final Object attachment = key.attachment();
        if (attachment instanceof HubConnection connection) {
            // Frames are written after every pass, for all connections.
            if (key.isValid() && key.isReadable() && !connection.read(this::onFrame)) {
                drop(connection);
            }
        } else if (attachment instanceof HubPort arrivals) {
            arrivals.accept();
        } else if (attachment instanceof HubPort.Caller caller) {
            if (port != null && key.isValid() && port.proceed(caller)) {
                if (hosts == Roster.MAX_HOST) {
                    port.drop(caller, "a job has at most " + (Roster.MAX_HOST + 1) + " hosts");
                } else {
                    welcome(caller);
                }
            }
        } else {
            members.accept(this::drop);
        }
    }

    /** Makes the hub of another host a member. */
    private void welcome(HubPort.Caller caller) {
        try {
            hosts++;
            final HubConnection member = caller.connection(roster.size(), hosts);
            announce(Frame.host(0, caller.localAddress()));
            announce(Frame.host(hosts, caller.remoteAddress()));
            members.add(member);
            greet(member);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "lost the connection of a host to the hub in " + directory.path(), e);
        }
    }

    /** Returns the number, the address and the ranks of a host as text. */
    private String describe(int host) {
        final Frame address = roster.address(host);
        return "host " + host
                + (address == null
                        ? ""
                        : " at "
                                + HubNetwork.address(address.first(), address.second())
                                        .getHostAddress())
                + " with " + roster.on(host);
    }

    private void announce(Frame host) {
        if (roster.address(host)) {
            broadcast(host);
        }
    }

    private boolean onFrame(HubConnection connection, Frame frame) {
        if (frame.type() == Frame.HELLO) {
            return hello(connection, frame);
        }
        if (frame.type() == Frame.PING) {
            return connection.host() != 0 || members.refuseForeign(frame);
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
            return members.refuseForeign(frame);
        }
        return switch (frame.type()) {
            case Frame.MADE -> advance(rank, State.MADE, frame);
            case Frame.MAPPED ->
                roster.state(rank) == State.WELCOME ? members.refuseForeign(frame) : advance(rank, State.MAPPED, frame);
            case Frame.STATEMENT -> stated(frame);
            case Frame.LETTER -> forward(frame);
            case Frame.SECRET -> answerSecret(connection, rank);
            default -> members.refuseForeign(frame);
        };
    }

    private boolean answerSecret(HubConnection connection, int rank) {
        final byte[] ofLinks = secret.ofLinks(directory.id());
        isLinked = true;
        return connection.send(Frame.secret(rank, ofLinks, 0)) && connection.send(Frame.secret(rank, ofLinks, 1));
    }

    private boolean stated(Frame statement) {
        if (!roster.state(statement)) {
            return members.refuseForeign(statement);
        }
        broadcast(statement);
        return true;
    }

    /** Forwards a letter. One to a rank that is gone has no reader. */
    private boolean forward(Frame letter) {
        final int to = letter.receiver();
        if (to < 0 || to >= roster.size()) {
            return members.refuseForeign(letter);
        }
        final HubConnection owner = owners[to];
        if (owner != null && roster.isMember(to) && !owner.send(letter)) {
            drop(owner);
        }
        return true;
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
            return members.refuseForeign(frame);
        }
        if (!roster.advance(rank, State.WELCOME)) {
            return refuse(connection, rank, Frame.RANK_TAKEN, roster.process(rank));
        }
        owners[rank] = connection;
        roster.process(rank, frame.third());
        roster.place(rank, connection.host());
        broadcast(Frame.of(Frame.PLACE, rank, connection.host()));
        final long hub = 2 * Platform.process() + (launcher ? 1 : 0);
        boolean sent = connection.send(new Frame(
                Frame.WELCOME, rank, directory.id().high(), directory.id().low(), hub));
        if (members.identify(connection)) {
            sent &= greet(connection);
        }
        notifyListener(() -> listener.joined(rank, Platform.pidOf(frame.third())));
        return sent;
    }

    /** Brings a new member up to date. */
    private boolean greet(HubConnection member) {
        boolean sent = true;
        for (final Frame news : roster.past()) {
            sent &= member.send(news);
        }
        return rejection == null ? sent : member.send(rejection) && sent;
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
                directory.allMapped(isLinked);
                broadcast(Frame.of(Frame.GO, 0));
                notifyListener(listener::allJoined);
            }
        }
        return true;
    }

    private boolean hasEnded() {
        return roster.count(State.LEFT) == roster.size();
    }

    private boolean ended(int rank, State how) {
        if (roster.advance(rank, how)) {
            if (how == State.DEAD) {
                notifyListener(() -> listener.dead(rank));
            }
            broadcast(Frame.of(how == State.LEFT ? Frame.LEFT : Frame.DEAD, rank));
            // At once: if the hub's own process leaves, it may end next.
            members.flush();
            if (!roster.isGoing() || hasEnded()) {
                // The job cannot start any more, or is over: if the hub's own process leaves last, it may end next.
                directory.close();
            }
            if (how == State.LEFT) {
                notifyListener(() -> listener.left(rank));
            }
        }
        return true;
    }

    private void drop(HubConnection connection) {
        if (!members.remove(connection)) {
            return;
        }
        for (int rank = 0; rank < owners.length; rank++) {
            if (owners[rank] == connection) {
                ended(rank, State.DEAD);
            }
        }
    }

    private void broadcast(Frame frame) {
        members.broadcast(frame, this::drop);
    }

    private void notifyListener(Runnable news) {
        try {
            news.run();
        } catch (RuntimeException e) {
            LOGGER.log(Level.ERROR, "the listener of the hub in " + directory.path() + " has failed", e);
        }
    }
}
