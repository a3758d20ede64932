package org.segno.engine.job;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.engine.job.Roster.State;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.OpenFiles;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/**
 * Membership of a process in a job: one connection to the hub and one thread, shared by all nodes of the process in
 * that job.
 *
 * <p>Joining is a series of steps, so that one thread can take several nodes of its process through them side by side:
 *
 * <pre>{@code
 * Membership membership = Membership.register(config, listener);   // does not wait
 * membership.awaitWelcome(rank, deadlineNs);                       // the hub has accepted the rank
 * // create the node file in membership.directory()
 * membership.made(rank);
 * membership.awaitAllMade(rank, deadlineNs);
 * // map the node files of all others
 * membership.mapped(rank);
 * membership.awaitGo(rank, deadlineNs);                            // all have mapped all files, which are gone
 * // work
 * membership.goodbye(rank);                                        // also after a step that failed
 * }</pre>
 *
 * <p>The process of rank 0 creates the directory and runs the hub, unless a launcher does; on every other host, that of
 * the first rank there does. Any thread may call any method.
 */
public final class Membership {
    /**
     * Notifications of one local node. All calls come from the membership thread, one at a time. They must be short and
     * must not wait.
     */
    public interface Listener {
        /**
         * Called when a rank has sent a goodbye: it sends nothing more, and has not caused any other rank to fail.
         *
         * @param rank never the listener's own
         */
        void left(int rank);

        /**
         * Called when a rank's process has ended without a goodbye. Called once per rank, also for those that died
         * before this node joined.
         *
         * @param rank never the listener's own
         */
        void dead(int rank);

        /**
         * Called when the hub is gone, and with it the job. No further notification follows. Not called in a job of one
         * host when rank 0 was the hub and has left; from then on the locks on node files indicate deaths, not the hub.
         */
        void hubLost();

        /**
         * Called when a thread of this process on which the job depends has ended by an error: the membership thread,
         * or the hub's. The rank cannot continue.
         *
         * @param part the thread
         * @param cause the error
         */
        void failed(String part, Throwable cause);

        /**
         * Called when the launcher, which was the hub, is gone, after {@link #hubLost()} of every local node.
         *
         * <p>Unless overridden, it gives the application's threads half a second to see their waits fail, then ends the
         * process with status 143, as the launcher's TERM would.
         */
        default void launcherLost() {
            Platform.park(LAUNCHER_LOST_GRACE_NS);
            Platform.halt(LAUNCHER_LOST_STATUS);
        }

        /**
         * Called when a letter of a rank's transport has come for this node.
         *
         * @param from rank that has written it
         * @param word first word
         * @param second second word
         * @param third third word
         */
        default void letter(int from, int word, long second, long third) {}

        /**
         * Called about four times a second, for observers outside the process. No wait ends if the call is missing.
         *
         * @param nowNs {@link System#nanoTime()}
         */
        void heartbeat(long nowNs);
    }

    private static final Logger LOGGER = System.getLogger(Membership.class.getName());
    private static final long GOODBYE_LIMIT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long LAUNCHER_LOST_GRACE_NS = 500_000_000;
    private static final int LAUNCHER_LOST_STATUS = 143;

    /** The memberships of this process by job directory. The monitor of the map also guards their local ranks. */
    private static final Map<Path, Membership> RUNNING = new HashMap<>();

    private final String jobName;
    private final Path directory;
    private final Roster roster;
    private final MembershipThread thread;
    private final Set<Integer> localRanks = new HashSet<>();

    private Membership(JobSettings config, Path directory, MembershipThread thread) {
        this.jobName = config.jobName();
        this.directory = directory;
        this.roster = thread.roster();
        this.thread = thread;
    }

    /**
     * Registers a local rank. Does not wait.
     *
     * @param config the rank's
     * @param listener receives the job's notifications until {@link #goodbye}
     * @return the membership of this process in that job
     * @throws SegnoException if the rank is already in this process, another rank here gave another size, or every user
     *     may replace the contents of the parent of job directories
     */
    public static Membership register(JobSettings config, Listener listener) {
        final Path directory = JobDirectory.pathOf(config);
        JobDirectory.requireSafeParent(config);
        synchronized (RUNNING) {
            Membership membership = RUNNING.get(directory);
            if (membership == null) {
                membership = new Membership(config, directory, start(config, directory));
                RUNNING.put(directory, membership);
            }
            membership.enter(config, listener);
            return membership;
        }
    }

    private static MembershipThread start(JobSettings config, Path directory) {
        try {
            return MembershipThread.start(config, directory);
        } catch (IOException e) {
            throw new SegnoException(
                    "cannot watch the socket to the hub of job " + config.jobName() + ": " + e + "; "
                            + OpenFiles.remedy(e, "start the job again"),
                    e);
        }
    }

    private void enter(JobSettings config, Listener listener) {
        if (config.size() != roster.size()) {
            throw new SegnoException("job " + jobName + " has " + roster.size() + " ranks in this process, not "
                    + config.size() + ": give all the same " + JobVariables.SIZE);
        }
        if (!localRanks.add(config.rank())) {
            throw new SegnoException(
                    name(config.rank()) + " is already in this process: give each its own " + JobVariables.RANK);
        }
        thread.enter(config, listener);
    }

    /**
     * Returns the job directory, in which the node files are created. It exists, and is this job's, from the welcome of
     * a local rank until all ranks have mapped.
     */
    public Path directory() {
        return directory;
    }

    /**
     * Returns the id of this run of the job, which the hub assigned.
     *
     * @throws IllegalStateException before a local rank is welcome
     */
    public JobId jobId() {
        final JobId id = thread.jobId();
        if (id == null) {
            throw new IllegalStateException("the job's id comes with the welcome: await that first");
        }
        return id;
    }

    /** Returns the number of ranks of the job. */
    public int size() {
        return roster.size();
    }

    /**
     * Returns the process id that a rank of this host has sent, or 0 before its node file is complete.
     *
     * @param rank any; 0 may be returned for one of another host
     */
    public long pid(int rank) {
        return Platform.pidOf(roster.process(rank));
    }

    /**
     * Returns the cores on which the process of a rank of this host may run, one bit each. They are zero if this
     * process cannot find that out, and before the rank's node file is complete.
     */
    public BigInteger cores(int rank) {
        return Platform.coresOf(roster.process(rank));
    }

    /**
     * Waits until the hub has accepted the rank.
     *
     * @param rank local
     * @param deadlineNs absolute
     * @throws SegnoException if the rank is taken, the size differs, or the directory cannot be created; its kinds as
     *     for {@link #awaitGo}
     */
    public void awaitWelcome(int rank, long deadlineNs) {
        roster.await(rank, () -> roster.state(rank) != State.ABSENT, () -> unwelcome(rank), deadlineNs);
    }

    private String unwelcome(int rank) {
        if (Thread.currentThread().isInterrupted()) {
            // It has not waited long enough to know what is missing.
            return name(rank) + " waits for the hub in " + directory;
        }
        return thread.isConnected()
                ? name(rank) + " has no answer from the hub in " + directory
                        + ": is its process stopped, or at its limit of open files (ulimit -n)?"
                : name(rank) + " found no hub in " + directory + ": rank 0, or the launcher, is missing";
    }

    /**
     * Waits until the hosts of all ranks are known.
     *
     * @param rank local and welcome
     * @param deadlineNs absolute
     * @throws SegnoException in its kinds as for {@link #awaitGo}
     */
    public void awaitPlaces(int rank, long deadlineNs) {
        roster.await(
                rank,
                () -> roster.isGoing() || roster.areAllPlaced(),
                () -> name(rank) + " waits for " + roster.unplaced() + " of " + roster.size() + " to join"
                        + roster.rejected(),
                deadlineNs);
    }

    /**
     * Returns the number of a rank's host, or a negative one before it is known.
     *
     * @param rank any
     */
    public int host(int rank) {
        return roster.host(rank);
    }

    /**
     * Returns the address at which the hub of another host has reached that of a rank's host, or null if the job has
     * one host.
     *
     * @param rank whose host is known
     */
    public @Nullable InetAddress hostAddress(int rank) {
        final Frame address = roster.address(roster.host(rank));
        return address == null ? null : HubNetwork.address(address.first(), address.second());
    }

    /**
     * Notifies all processes of a statement about the rank. Those before {@link #made} are known to all that have
     * awaited {@link #awaitAllMade}.
     *
     * @param rank local and welcome
     */
    public void state(int rank, Statement statement) {
        thread.send(Frame.statement(rank, statement));
    }

    /** Returns the statements of a rank, in their order: one list for ranks of a host that have stated the same. */
    public List<Statement> statements(int rank) {
        return roster.statements(rank);
    }

    /**
     * Waits for the secret from which the keys of links of this job are derived.
     *
     * @param rank local and welcome
     * @param deadlineNs absolute
     * @throws SegnoException in its kinds as for {@link #awaitGo}
     */
    public byte[] awaitLinkSecret(int rank, long deadlineNs) {
        if (roster.secret() == null) {
            thread.send(Frame.of(Frame.SECRET, rank));
        }
        roster.await(
                rank,
                () -> roster.secret() != null,
                () -> name(rank) + " has not received the secret of links from the hub in " + directory,
                deadlineNs);
        return Objects.requireNonNull(roster.secret());
    }

    /**
     * Sends a letter to another rank. Letters between two ranks come in order. Does not wait.
     *
     * @param from local and welcome
     * @param to any; a rank that has not joined, or is gone, receives nothing
     */
    public void write(int from, int to, int word, long second, long third) {
        thread.send(Frame.letter(from, to, word, second, third));
    }

    /**
     * Lets the membership thread carry out {@code watch} regularly, until {@link #endWatch}.
     *
     * @param watch is given the time, {@link System#nanoTime}, and returns true to be called again after some 10 ms,
     *     false for some 40 ms
     */
    public void watch(Object owner, LongPredicate watch) {
        thread.watch(owner, watch);
    }

    /** Ends what {@link #watch} has begun. */
    public void endWatch(Object owner) {
        thread.endWatch(owner);
    }

    /**
     * Notifies all processes that the rank's node file is complete.
     *
     * @param rank local and welcome
     */
    public void made(int rank) {
        thread.send(Frame.of(Frame.MADE, rank));
    }

    /**
     * Waits until all node files are complete.
     *
     * @param rank local
     * @param deadlineNs absolute
     * @throws SegnoException in its kinds as for {@link #awaitGo}
     */
    public void awaitAllMade(int rank, long deadlineNs) {
        roster.await(
                rank,
                // A peer may have joined, worked and left before this thread checks.
                () -> roster.isGoing() || roster.all(State.MADE),
                () -> name(rank) + " waits for " + roster.missing(State.MADE) + " of " + roster.size() + " to join"
                        + roster.rejected(),
                deadlineNs);
    }

    /**
     * Notifies all processes that the rank has mapped every node file.
     *
     * @param rank local, after {@link #awaitAllMade}
     */
    public void mapped(int rank) {
        thread.send(Frame.of(Frame.MAPPED, rank));
    }

    /**
     * Waits until all ranks have mapped all node files and the directory is gone, or marked if it is to be kept.
     *
     * @param rank local
     * @param deadlineNs absolute
     * @throws DeadlineException at the deadline; the message names the missing ranks
     * @throws PeerFailedException if a rank left or died before all had joined
     * @throws ClosedException if the launcher is gone, the rank has sent a goodbye, or this thread is interrupted
     */
    public void awaitGo(int rank, long deadlineNs) {
        roster.await(
                rank,
                roster::isGoing,
                () -> name(rank) + " waits for " + roster.missing(State.MAPPED) + " of " + roster.size()
                        + " to map the node files",
                deadlineNs);
    }

    /**
     * Sends the goodbye of a rank. Once this has returned, no listener call for it is in progress or follows.
     *
     * <p>The membership thread ends with the last rank of the process. If not all ranks had joined, the hub of this
     * process and the directory end with it. May be called twice.
     *
     * @param rank local
     */
    public void goodbye(int rank) {
        final CountDownLatch done;
        synchronized (RUNNING) {
            if (!localRanks.remove(rank)) {
                return;
            }
            if (localRanks.isEmpty()) {
                RUNNING.remove(directory, this);
            }
            // Under the monitor: the thread ends with the last rank, so no other rank may be registered after that one.
            done = thread.leave(rank, localRanks.isEmpty());
        }
        await(done);
    }

    /**
     * Notifies all processes that a rank of this process has failed, although the process still runs: for the others it
     * has died. Does not wait. Has no effect for a rank that has not joined, or has sent a goodbye.
     *
     * @param config the rank's
     */
    public static void fail(JobSettings config) {
        synchronized (RUNNING) {
            final Membership membership = RUNNING.get(JobDirectory.pathOf(config));
            if (membership != null && membership.localRanks.contains(config.rank())) {
                membership.thread.send(Frame.of(Frame.FAILED, config.rank()));
            }
        }
    }

    /** Waits despite interrupts: the caller's next step may release memory to which the listener writes. */
    private static void await(CountDownLatch done) {
        final long deadlineNs = Deadline.in(GOODBYE_LIMIT_NS, TimeUnit.NANOSECONDS);
        boolean interrupted = false;
        while (done.getCount() > 0 && !Deadline.reached(deadlineNs)) {
            try {
                if (!done.await(Deadline.remaining(deadlineNs), TimeUnit.NANOSECONDS)) {
                    LOGGER.log(Level.ERROR, "a listener has held up the membership thread for seconds");
                }
            } catch (InterruptedException ignored) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private String name(int rank) {
        return "rank " + rank + " of job " + jobName;
    }
}
