package org.segno.engine.job;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.engine.job.Roster.State;
import org.segno.status.OpenFiles;
import org.segno.status.SegnoException;

/**
 * The hub of a further host of a job. The processes of its host are connected to it as to a {@link Hub}, and it to the
 * job's hub by one TCP connection, to which it passes on what they send. The job's hub decides everything: this one
 * passes its news to its members, in their order.
 *
 * <p>If the job's hub ends, or is silent for a time, the connections of this host end, and with them the job for its
 * ranks.
 */
public final class HostHub implements LocalHub {
    private static final Logger LOGGER = System.getLogger(HostHub.class.getName());

    /** Any number but zero: the connection to the job's hub is one to another host. */
    private static final int OTHER_HOST = 1;

    private final JobDirectory directory;
    private final boolean launcher;
    private final Hub.Listener listener;
    private final HubCall call;
    private final HubMembers members;
    private final HubConnection upstream;
    private final Roster roster;
    private final HubConnection[] owners;
    private final BitSet reportedDead = new BitSet();
    private final HubLoop loop;

    // From here on, fields are used by the hub's thread only.
    private boolean lost;

    /** True once a process of this host has become a member. */
    private boolean wasJoined;

    /** True once a rank of this host has asked for the secret of links. */
    private boolean isLinked;

    private @Nullable JobId job;
    private @Nullable Frame rejection;

    private HostHub(Parts parts, int size, boolean launcher, HubCall call, Hub.Listener listener) {
        this.directory = parts.directory;
        this.launcher = launcher;
        this.listener = listener;
        this.call = call;
        this.members = parts.members;
        this.upstream = parts.upstream;
        this.roster = new Roster(size);
        this.owners = new HubConnection[size];
        this.loop = new HubLoop("segno-host-hub", parts.selector, true, new Service());
    }

    private record Parts(JobDirectory directory, Selector selector, HubMembers members, HubConnection upstream) {}

    /**
     * Connects to the job's hub, and starts the hub of this host, which from then on owns the directory.
     *
     * @param directory newly created
     * @param size number of ranks of the job
     * @param launcher whether processes end themselves when the hub is lost
     * @param call addresses of the job's hub, secret and limits
     * @param listener receives the notifications of the ranks of this host, and of the job
     * @return the hub; the caller closes it
     * @throws SegnoException if no address answers in time, or a socket cannot be created; the directory is then closed
     */
    public static HostHub start(
            JobDirectory directory, int size, boolean launcher, HubCall call, Hub.Listener listener) {
        boolean started = false;
        try {
            final SocketChannel channel = HubDial.call(call.hubs(), call.secret(), call.timeout());
            final HostHub hub = new HostHub(open(directory, size, channel), size, launcher, call, listener);
            hub.loop.start();
            started = true;
            return hub;
        } catch (IOException | LinkageError e) {
            throw new SegnoException(
                    "cannot make the sockets of the host's hub in " + directory.path() + ": " + e + "; "
                            + OpenFiles.remedy(e, "name another parent of job directories (" + JobVariables.DIR + ")"),
                    e);
        } finally {
            if (!started) {
                directory.close();
            }
        }
    }

    private static Parts open(JobDirectory directory, int size, SocketChannel channel) throws IOException {
        final Selector selector = Selector.open();
        try {
            final HubConnection upstream = HubConnection.open(channel, selector, size, OTHER_HOST);
            return new Parts(directory, selector, HubMembers.listen(directory.path(), size, selector), upstream);
        } catch (IOException | LinkageError e) {
            channel.close();
            selector.close();
            throw e;
        }
    }

    @Override
    public void keepProcess() {
        loop.keepProcess();
    }

    /** Ends the hub and waits for its end. May be called twice. */
    @Override
    public void close() {
        loop.close();
    }

    /** What the hub's thread does. */
    private final class Service implements HubLoop.Work {
        @Override
        public boolean isOver() {
            return lost || areAllEnded();
        }

        @Override
        public void serve(SelectionKey key) {
            HostHub.this.serve(key);
        }

        @Override
        public void tick() {
            if (!lost && !upstream.tick(call.silenceTicks())) {
                lose("has been silent for " + call.silence().toMillis() + " ms; " + HubNetwork.SILENCE_REMEDY);
            }
        }

        @Override
        public void flush() {
            upstream.flush();
            members.flush();
        }

        @Override
        public void failed(Throwable cause) {
            try {
                notifyListener(() -> listener.failed(cause));
            } finally {
                LOGGER.log(Level.ERROR, "the hub of this host in " + directory.path() + " has failed", cause);
            }
        }

        @Override
        public void end() {
            members.close(directory::close);
            upstream.close();
        }
    }

    private void serve(SelectionKey key) {
        if (key.attachment() == upstream) {
            if (!lost && key.isValid() && key.isReadable() && !upstream.read((line, frame) -> onNews(frame))) {
                lose("has ended");
            }
        } else if (key.attachment() instanceof HubConnection connection) {
            if (key.isValid() && key.isReadable() && !connection.read(this::onFrame)) {
                drop(connection);
            }
        } else {
            members.accept(this::drop);
        }
    }

    /**
     * Ends this hub because the job's hub is gone. Once no rank of the job or no process of this host is left, that is
     * the ordinary end; before the first process has come, it is a failure, which those that come would wait for in
     * vain.
     */
    private void lose(String how) {
        lost = true;
        // The job's hub ends after the last goodbye, and the process that has sent it may close its connection later.
        if (!areAllEnded() && (!members.isEmpty() || !wasJoined)) {
            final SegnoException cause = new SegnoException("the hub of the job " + how);
            LOGGER.log(Level.DEBUG, "the hub of this host in {0} ends: that of the job {1}", directory.path(), how);
            notifyListener(() -> listener.failed(cause));
        }
    }

    /** Receives a frame of a process of this host. */
    private boolean onFrame(HubConnection connection, Frame frame) {
        final int rank = frame.rank();
        if (frame.type() == Frame.HELLO && frame.first() != Frame.VERSION) {
            return refuse(connection, rank, Frame.VERSION_DIFFERS, Frame.VERSION);
        }
        if (frame.type() == Frame.HELLO && frame.second() != roster.size()) {
            return refuse(connection, rank, Frame.SIZE_DIFFERS, roster.size());
        }
        if (rank < 0 || rank >= roster.size()) {
            return members.refuseForeign(frame);
        }
        if (frame.type() == Frame.HELLO) {
            return hello(connection, frame);
        }
        final boolean isOwner = owners[rank] == connection;
        return switch (frame.type()) {
            case Frame.GOODBYE -> !isOwner || pass(frame);
            case Frame.FAILED -> !isOwner || died(rank);
            case Frame.MADE, Frame.MAPPED, Frame.STATEMENT, Frame.LETTER ->
                isOwner ? pass(frame) : members.refuseForeign(frame);
            case Frame.SECRET -> isOwner ? answerSecret(connection, rank) : members.refuseForeign(frame);
            default -> members.refuseForeign(frame);
        };
    }

    private boolean pass(Frame frame) {
        if (!upstream.send(frame)) {
            lose("reads nothing");
        }
        return true;
    }

    private boolean hello(HubConnection connection, Frame frame) {
        final int rank = frame.rank();
        if (owners[rank] == connection) {
            return members.refuseForeign(frame);
        }
        if (owners[rank] != null) {
            return refuse(connection, rank, Frame.RANK_TAKEN, roster.process(rank));
        }
        owners[rank] = connection;
        roster.process(rank, frame.third());
        return pass(frame);
    }

    private static boolean refuse(HubConnection connection, int rank, long reason, long instead) {
        return connection.send(new Frame(Frame.REFUSED, rank, reason, instead, 0));
    }

    private boolean answerSecret(HubConnection connection, int rank) {
        final JobId known = job;
        if (known == null) {
            return members.refuseForeign(Frame.of(Frame.SECRET, rank));
        }
        isLinked = true;
        final byte[] secret = call.secret().ofLinks(known);
        return connection.send(Frame.secret(rank, secret, 0)) && connection.send(Frame.secret(rank, secret, 1));
    }

    /** Reports the death of a rank of this host, first to the listener: no other rank can have failed because of it. */
    private boolean died(int rank) {
        if (!reportedDead.get(rank) && roster.isMember(rank)) {
            reportedDead.set(rank);
            notifyListener(() -> listener.dead(rank));
        }
        return pass(Frame.of(Frame.FAILED, rank));
    }

    /** Receives news of the job's hub. */
    private boolean onNews(Frame frame) {
        final int rank = frame.rank();
        if (frame.type() == Frame.PING) {
            return true;
        }
        if (frame.type() == Frame.REJECTED) {
            rejection = frame;
            broadcast(frame);
            return true;
        }
        if (frame.type() == Frame.HOST) {
            roster.address(frame);
            broadcast(frame);
            return true;
        }
        if (rank < 0 || rank >= roster.size()) {
            return refuseNews(frame);
        }
        switch (frame.type()) {
            case Frame.WELCOME -> welcome(frame);
            case Frame.REFUSED -> refused(frame);
            case Frame.LETTER -> deliver(frame);
            case Frame.GO -> {
                roster.go();
                directory.allMapped(isLinked);
                broadcast(frame);
                notifyListener(listener::allJoined);
            }
            case Frame.LEFT -> ended(frame, State.LEFT);
            case Frame.DEAD -> ended(frame, State.DEAD);
            case Frame.PLACE, Frame.STATEMENT, Frame.MADE, Frame.MAPPED -> {
                if (!roster.record(frame, true)) {
                    return refuseNews(frame);
                }
                broadcast(frame);
            }
            default -> {
                return refuseNews(frame);
            }
        }
        return true;
    }

    private static boolean refuseNews(Frame frame) {
        LOGGER.log(Level.WARNING, "the hub of the job sent what no hub sends: {0}", frame);
        return false;
    }

    private void welcome(Frame frame) {
        final int rank = frame.rank();
        job = new JobId(frame.first(), frame.second());
        final HubConnection owner = owners[rank];
        if (owner == null) {
            // It has ended meanwhile, which the job's hub learns next.
            return;
        }
        roster.advance(rank, State.WELCOME);
        final long hub = 2 * Platform.process() + (launcher ? 1 : 0);
        boolean sent = owner.send(new Frame(Frame.WELCOME, rank, frame.first(), frame.second(), hub));
        if (members.identify(owner)) {
            wasJoined = true;
            for (final Frame news : roster.past()) {
                sent &= owner.send(news);
            }
            if (rejection != null) {
                sent &= owner.send(rejection);
            }
        }
        if (!sent) {
            drop(owner);
        }
        notifyListener(() -> listener.joined(rank, Platform.pidOf(roster.process(rank))));
    }

    private void refused(Frame frame) {
        final HubConnection owner = owners[frame.rank()];
        if (owner != null && !roster.isMember(frame.rank())) {
            owners[frame.rank()] = null;
            owner.send(frame);
        }
    }

    private void deliver(Frame letter) {
        final int to = letter.receiver();
        final HubConnection owner = to < 0 || to >= owners.length ? null : owners[to];
        if (owner != null && roster.isMember(to) && !owner.send(letter)) {
            drop(owner);
        }
    }

    /** Returns true if every rank of the job has left or died. */
    private boolean areAllEnded() {
        return roster.count(State.LEFT) == roster.size();
    }

    /** Returns true if no rank of this host is left. */
    private boolean areAllGone() {
        for (int rank = 0; rank < owners.length; rank++) {
            if (owners[rank] != null && roster.state(rank).compareTo(State.LEFT) < 0) {
                return false;
            }
        }
        return true;
    }

    private void ended(Frame frame, State how) {
        final int rank = frame.rank();
        if (!roster.advance(rank, how)) {
            return;
        }
        final boolean isHere = owners[rank] != null;
        if (how == State.DEAD && isHere && !reportedDead.get(rank)) {
            reportedDead.set(rank);
            notifyListener(() -> listener.dead(rank));
        }
        broadcast(frame);
        // At once: if the hub's own process leaves, it may end next.
        members.flush();
        if (!roster.isGoing() || areAllGone()) {
            // The job cannot start any more, or needs nothing here: if this process leaves last, it may end next.
            directory.close();
        }
        if (how == State.LEFT && isHere) {
            notifyListener(() -> listener.left(rank));
        }
    }

    private void drop(HubConnection connection) {
        members.remove(connection);
        for (int rank = 0; rank < owners.length; rank++) {
            if (owners[rank] == connection) {
                if (roster.state(rank) == State.ABSENT) {
                    owners[rank] = null;
                }
                if (roster.state(rank).compareTo(State.LEFT) < 0) {
                    died(rank);
                }
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
