package org.segno.engine.job;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.engine.job.Membership.Listener;
import org.segno.engine.job.Roster.State;
import org.segno.status.ClosedException;
import org.segno.status.OpenFiles;
import org.segno.status.SegnoException;

/**
 * The one thread of a process for one job: it finds or starts the hub, reads its frames, and calls the listeners.
 *
 * <p>No other thread uses the socket, so no interrupt of an application thread can close it. Other threads put their
 * commands into its queue, which holds a few entries for each local rank.
 */
final class MembershipThread {
    private static final Logger LOGGER = System.getLogger(MembershipThread.class.getName());
    private static final long HEARTBEAT_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long SEEK_PAUSE_MS = 1;

    /** Pauses between two calls of what is watched, and of what needs no call soon: each call wakes a core. */
    private static final long WATCH_MS = 10;

    private static final long QUIET_WATCH_MS = 40;

    private final String job;
    private final Path directory;
    private final Roster roster;
    private final Selector selector;
    private final Thread thread = Platform.thread("segno-membership", this::run);
    private final BoundedLog foreign;
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();

    /** Goodbyes of which the hub of this process has not notified all yet. */
    private final Map<Integer, CountDownLatch> goodbyes = new ConcurrentHashMap<>();

    /** Ranks that are gone for the hub of this process. */
    private final Set<Integer> ended = ConcurrentHashMap.newKeySet();

    private volatile @Nullable JobId jobId;
    private volatile @Nullable HubConnection connection;
    private volatile boolean failed;

    // From here on, fields are used by this thread only. A listener that sends a goodbye may change the map.
    private final Map<Integer, Listener> listeners = new ConcurrentSkipListMap<>();

    /** The same listeners, for iteration without allocation. Every change creates another array. */
    private Listener[] heartbeatListeners = {};

    private @Nullable JobSettings hostConfig;
    private @Nullable LocalHub hub;
    private final Map<Object, LongPredicate> watches = new HashMap<>();
    private volatile LongPredicate[] watched = {};

    /** True if a watch needs its next call soon. */
    private boolean isWatchDue = true;

    private long heartbeatNs = System.nanoTime();
    /** Number of the host of this process. The hub sends the places of all ranks before their processes. */
    private int host = -1;

    private long hubProcess;
    private boolean launched;
    private boolean seeking = true;
    private boolean lost;
    private boolean listenerFailed;
    private boolean stopping;

    private MembershipThread(JobSettings config, Path directory, Selector selector) {
        this.job = "job " + config.jobName();
        this.directory = directory;
        this.roster = new Roster(config.size());
        this.selector = selector;
        this.foreign = new BoundedLog(LOGGER, "the hub in " + directory + ' ');
        this.launched = config.launched();
    }

    static MembershipThread start(JobSettings config, Path directory) throws IOException {
        final MembershipThread membership = new MembershipThread(config, directory, Selector.open());
        membership.thread.start();
        return membership;
    }

    Roster roster() {
        return roster;
    }

    boolean isConnected() {
        return connection != null;
    }

    /** Returns null before a local rank is welcome. */
    @Nullable
    JobId jobId() {
        return jobId;
    }

    void enter(JobSettings config, Listener listener) {
        execute(() -> {
            listeners.put(config.rank(), listener);
            heartbeatListeners = listeners.values().toArray(new Listener[0]);
            if (config.makesHub()) {
                hostConfig = config;
            }
            put(Frame.hello(config.rank(), roster.size()));
            notifyPastEnds(config.rank(), listener);
        });
    }

    void send(Frame frame) {
        execute(() -> put(frame));
    }

    /**
     * Sends a rank's goodbye, and counts the returned latch down when it is sent; with the last rank the thread ends.
     *
     * <p>If this process is the hub, the latch is counted down when all others are notified: the process may end then,
     * and must not appear to have died.
     */
    CountDownLatch leave(int rank, boolean last) {
        final CountDownLatch done = new CountDownLatch(1);
        final Runnable command = () -> {
            listeners.remove(rank);
            heartbeatListeners = listeners.values().toArray(new Listener[0]);
            roster.fail(rank, () -> new ClosedException("rank " + rank + " of " + job + " has said goodbye"));
            final boolean hosted = hub != null && connection != null && roster.isMember(rank);
            if (hosted) {
                goodbyes.put(rank, done);
                if (ended.contains(rank)) {
                    // Its failure was already known.
                    endGoodbye(rank);
                }
            }
            put(Frame.of(Frame.GOODBYE, rank));
            if (last && hub != null && roster.isGoing()) {
                // First: once the goodbye is sent, the process may end at any time.
                hub.keepProcess();
            }
            flush();
            if (last) {
                stop();
            }
            if (!hosted) {
                done.countDown();
            }
        };
        if (Thread.currentThread().equals(thread)) {
            command.run();
        } else {
            execute(command);
            if (failed) {
                done.countDown();
            }
        }
        return done;
    }

    private void execute(Runnable command) {
        commands.add(command);
        selector.wakeup();
    }

    private void run() {
        // Created once: a lambda in the loop would be a new object at every heartbeat.
        final Consumer<SelectionKey> onReady = this::receive;
        try (selector) {
            while (!stopping) {
                selector.select(onReady, pauseMs());
                clearInterrupt();
                for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
                    command.run();
                }
                if (seeking && !stopping && !listeners.isEmpty()) {
                    seek();
                }
                writeHeartbeats();
                watch();
                flush();
            }
        } catch (IOException | RuntimeException | Error e) {
            // The end of the connection indicates to the hub that the ranks of this process have died.
            failed = true;
            stop();
            fail("the membership thread of " + job, e);
            // Goodbyes from before the failure was visible end at once.
            for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
                command.run();
            }
        } finally {
            stop();
        }
    }

    /** Clears the interrupt flag: if it is set, a selector returns at once and a channel closes itself. */
    private static void clearInterrupt() {
        Thread.interrupted();
    }

    private void fail(String part, Throwable cause) {
        final String why = cause + (OpenFiles.isExhaustedBy(cause) ? "; " + OpenFiles.remedy() : "");
        roster.fail(() -> new ClosedException(part + " has failed: " + why));
        notifyListeners(listener -> listener.failed(part, cause));
        try {
            LOGGER.log(Level.ERROR, part + " has failed", cause);
        } catch (LinkageError ignored) {
            // At the limit of open files, the JDK cannot load the classes of its logging. The waiters have the reason.
        }
    }

    private long pauseMs() {
        final long untilHeartbeatNs = heartbeatNs - System.nanoTime();
        final long untilNextMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(untilHeartbeatNs) + 1);
        final long untilWatchMs = isWatchDue ? WATCH_MS : QUIET_WATCH_MS;
        return seeking ? SEEK_PAUSE_MS : watched.length == 0 ? untilNextMs : Math.min(untilNextMs, untilWatchMs);
    }

    /** Adds what is carried out every {@value #WATCH_MS} or {@value #QUIET_WATCH_MS} ms, as its last call has asked. */
    void watch(Object owner, LongPredicate watch) {
        synchronized (watches) {
            watches.put(owner, watch);
            watched = watches.values().toArray(new LongPredicate[0]);
        }
        selector.wakeup();
    }

    void endWatch(Object owner) {
        synchronized (watches) {
            watches.remove(owner);
            watched = watches.values().toArray(new LongPredicate[0]);
        }
    }

    private void watch() {
        // An array: an iterator would be a new object each time.
        final LongPredicate[] all = watched;
        final long nowNs = System.nanoTime();
        isWatchDue = false;
        for (int i = 0; i < all.length; i++) {
            try {
                isWatchDue |= all[i].test(nowNs);
            } catch (RuntimeException | InternalError e) {
                listenerFailed(e);
            }
        }
    }

    private void writeHeartbeats() {
        final long nowNs = System.nanoTime();
        if (nowNs - heartbeatNs >= 0) {
            heartbeatNs = nowNs + HEARTBEAT_NS;
            // The field is read at each step: a listener may send a goodbye, and is then not called again.
            for (int i = 0; i < heartbeatListeners.length; i++) {
                writeHeartbeats(heartbeatListeners[i], nowNs);
            }
        }
    }

    private void writeHeartbeats(Listener listener, long nowNs) {
        try {
            listener.heartbeat(nowNs);
        } catch (RuntimeException | InternalError e) {
            listenerFailed(e);
        }
    }

    /**
     * Attempts once to find the hub. Starts it here if rank 0, or the first rank of another host, is local and no other
     * process is or was meant to be it.
     */
    private void seek() {
        try {
            connection = HubConnection.find(directory, selector, roster.size());
            final JobSettings config = hostConfig;
            if (connection != null) {
                seeking = false;
                listeners.keySet().forEach(rank -> put(Frame.hello(rank, roster.size())));
            } else if (launched) {
                // The launcher's hub existed before this process.
                if (HubConnection.isDeserted(directory)) {
                    seeking = false;
                    hubEnded();
                }
            } else if (config != null && hub == null) {
                JobDirectory.tryCreate(config).ifPresent(made -> hub = makeHub(config, made));
            }
        } catch (SegnoException e) {
            seeking = false;
            roster.fail(() -> new SegnoException(String.valueOf(e.getMessage()), e));
        }
    }

    private LocalHub makeHub(JobSettings config, JobDirectory made) {
        final HubSettings hosts = config.hosts();
        final Hub.Listener news = new GoodbyeListener();
        boolean isStarted = false;
        try {
            final LocalHub started = hosts == null || config.rank() == 0
                    ? Hub.start(made, roster.size(), false, news, hosts == null ? null : hosts.network())
                    : HostHub.start(made, roster.size(), false, hosts.call(), news);
            isStarted = true;
            return started;
        } finally {
            if (!isStarted) {
                // The file of the secret may be unfit, before any hub owns the directory.
                made.close();
            }
        }
    }

    private void put(Frame frame) {
        final HubConnection open = connection;
        if (open != null) {
            open.send(frame);
        }
    }

    private void flush() {
        final HubConnection open = connection;
        if (open != null) {
            open.flush();
        }
    }

    private void receive(SelectionKey unused) {
        clearInterrupt();
        final HubConnection open = connection;
        // A listener may have sent a goodbye during the read: then there is no connection to lose.
        if (open == null || open.read((line, frame) -> onFrame(frame)) || stopping) {
            return;
        }
        open.close();
        connection = null;
        if (jobId == null) {
            // This hub had not welcomed any rank of this process: it was just ending, or had too many connections.
            seeking = true;
        } else {
            hubEnded();
        }
    }

    private boolean onFrame(Frame frame) {
        final int rank = frame.rank();
        if (frame.type() == Frame.REJECTED) {
            // If the job is larger there, the rank may not exist here.
            roster.rejected(rank, frame.first());
            return true;
        }
        if (frame.type() == Frame.HOST) {
            roster.address(frame);
            return true;
        }
        if (rank < 0 || rank >= roster.size()) {
            return false;
        }
        switch (frame.type()) {
            case Frame.WELCOME -> welcome(frame);
            case Frame.REFUSED ->
                roster.fail(rank, () -> new SegnoException(frame.refusal(job, directory, roster.size())));
            case Frame.SECRET -> roster.secret(frame);
            case Frame.LETTER -> deliver(frame);
            case Frame.GO -> roster.go();
            case Frame.LEFT -> ended(rank, State.LEFT);
            case Frame.DEAD -> ended(rank, State.DEAD);
            default -> {
                if (!roster.record(frame, roster.host(rank) == host)) {
                    foreign.warn("sent what no hub sends: " + frame);
                    return false;
                }
                host = listeners.containsKey(rank) ? roster.host(rank) : host;
            }
        }
        return true;
    }

    private void deliver(Frame letter) {
        final Listener listener = listeners.get(letter.receiver());
        if (listener != null) {
            notifyListener(
                    listener, each -> each.letter(letter.rank(), letter.word(), letter.second(), letter.third()));
        }
    }

    private void welcome(Frame frame) {
        jobId = new JobId(frame.first(), frame.second());
        hubProcess = frame.third() >> 1;
        launched = (frame.third() & 1) != 0;
        if (!launched && roster.address(0) == null) {
            roster.process(0, hubProcess);
        }
        roster.process(frame.rank(), Platform.process());
        roster.advance(frame.rank(), State.WELCOME);
    }

    private void ended(int rank, State how) {
        if (roster.lose(rank, how, job)) {
            listeners.forEach((local, listener) -> notifyEnd(local, listener, rank));
        }
    }

    private void hubEnded() {
        final boolean isOneHost = roster.address(0) == null;
        if (!launched && isOneHost && roster.state(0) == State.LEFT) {
            LOGGER.log(Level.DEBUG, "rank 0 of {0} has left, and the hub with it", job);
            return;
        }
        for (int rank = 0; rank < roster.size() && !launched && isOneHost; rank++) {
            if (roster.process(rank) == hubProcess) {
                ended(rank, State.DEAD);
            }
        }
        roster.fail(() -> new ClosedException("the hub of " + job + " is gone: the job has ended"));
        lost = true;
        notifyListeners(Listener::hubLost);
        if (launched) {
            notifyListeners(Listener::launcherLost);
        }
    }

    private void notifyPastEnds(int local, Listener listener) {
        for (int rank = 0; rank < roster.size(); rank++) {
            notifyEnd(local, listener, rank);
        }
        if (lost) {
            notifyListener(listener, Listener::hubLost);
        }
    }

    private void notifyEnd(int local, Listener listener, int rank) {
        if (local != rank && roster.state(rank) == State.LEFT) {
            notifyListener(listener, each -> each.left(rank));
        } else if (local != rank && roster.state(rank) == State.DEAD) {
            notifyListener(listener, each -> each.dead(rank));
        }
    }

    private void notifyListeners(Consumer<Listener> news) {
        listeners.values().forEach(listener -> notifyListener(listener, news));
    }

    private void notifyListener(Listener listener, Consumer<Listener> news) {
        try {
            news.accept(listener);
        } catch (RuntimeException | InternalError e) {
            listenerFailed(e);
        }
    }

    /** Logs the failure of a listener. A node may fail at every heartbeat: others can modify its memory file. */
    private void listenerFailed(Throwable e) {
        LOGGER.log(
                listenerFailed ? Level.DEBUG : Level.ERROR, "a node of " + job + " has failed on news of its job", e);
        listenerFailed = true;
    }

    /** Listener of the hub of this process, called on the hub's thread. */
    private final class GoodbyeListener implements Hub.Listener {
        @Override
        public void left(int rank) {
            ended.add(rank);
            endGoodbye(rank);
        }

        @Override
        public void dead(int rank) {
            left(rank);
        }

        @Override
        public void failed(Throwable cause) {
            execute(() -> fail("the hub of " + job + ", which this process runs,", cause));
        }
    }

    private void endGoodbye(int rank) {
        final CountDownLatch done = goodbyes.remove(rank);
        if (done != null) {
            done.countDown();
        }
    }

    private void stop() {
        stopping = true;
        final HubConnection open = connection;
        if (open != null) {
            open.close();
            connection = null;
        }
        final LocalHub own = hub;
        if (own != null && !roster.isGoing()) {
            // No rank can join any more. The hub of a running job serves the others until they have left.
            own.close();
        }
    }
}
