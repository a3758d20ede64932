package org.segno.transport.aeron;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.UdpTransportPoller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.agrona.CloseHelper;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.jspecify.annotations.Nullable;
import org.segno.engine.packet.Frame;
import org.segno.status.SegnoException;

/**
 * Aeron's media driver and its client, of all links of a process. It has no thread: links run it, in the passes of
 * their engines. Any thread may; one that finds another in a pass leaves it the work ({@link Turn}).
 *
 * <p>The agents of driver and client are run directly, each in the passes that need it. Aeron's own invokers end for
 * ever when they find their thread interrupted. A pass hides the interrupt from Aeron and restores it.
 */
public final class AeronDriver implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(AeronDriver.class.getName());

    /** Passes by which a command of the client is carried out. */
    private static final int COMMAND_PASSES = 1_000;

    /** Passes without work, about half a millisecond, after which links are quiet. */
    private static final int ACTIVE_PASSES = 1_000;

    /** Time between passes while links are quiet: each takes more than half a microsecond. */
    private static final long QUIET_INTERVAL_NS = 5_000;

    /** Maximum of passes in a row for other threads. */
    private static final int OWED_PASSES = 64;

    /** Number of times that a turn goes on for other threads. */
    private static final int OWED_TURNS = 4;

    /** Maximum of passes before a round of polls. */
    private static final int MOST_PASSES = 16;

    private final MediaDriver driver;
    private final Aeron aeron;
    private final DriverAgents agents;
    private final Agent clientAgent;
    private final DriverDirectory directory;
    private final DriverClock clock;
    private final int socketBuffer;
    private final Turn turn = new Turn();
    private final AtomicLong passes = new AtomicLong();
    private final AtomicLong wholePasses = new AtomicLong();

    /** Datagrams that are in the logs of their streams. */
    private final AtomicLong logged = new AtomicLong();

    private final AtomicInteger links = new AtomicInteger();
    private final DriverErrors errors;
    private final Endpoints endpoints;
    private final DriverCounts counts;
    private final LinkPorts ports;

    /** Links that are open. This list and the next one are used only by the thread that has the turn. */
    private final List<AeronLink> open = new ArrayList<>();

    /** Links that were closed and still hold received frames. */
    private final List<AeronLink> closing = new ArrayList<>();

    private volatile boolean isRunning = true;

    /** Passes without work, one after the other. Threads may miss each other's counts, as of the next fields. */
    private int quietPasses;

    private long polledNs;

    /** Passes before the next round of polls while they find work: more once the last ones did. */
    private int allowedPasses = 1;

    /** True if a flush has run passes since the last round of polls, the last of which has received. */
    private boolean hasFlushed;

    /** True if a message has waited for room in a stream since the last round of polls. */
    private boolean isBlocked;

    /** Position in the round of polls. Threads may miss each other's counts, which only moves a pass. */
    private int polls;

    private AeronDriver(MediaDriver driver, DriverAgents agents, Aeron aeron, Parts parts) {
        this.driver = driver;
        this.aeron = aeron;
        this.agents = agents;
        this.clientAgent = aeron.conductorAgentInvoker().agent();
        this.directory = parts.directory;
        this.clock = parts.clock;
        this.socketBuffer = parts.socketBuffer;
        this.endpoints = parts.endpoints;
        this.counts = parts.endpoints.counts();
        this.errors = parts.errors;
        this.ports = parts.ports;
    }

    /**
     * What is made before Aeron's driver.
     *
     * @param directory of its files
     * @param clock of its timeouts
     * @param socketBuffer receive buffer that the system grants to a socket
     * @param endpoints makes its sockets
     * @param errors receives its exceptions
     * @param ports at which links receive
     */
    private record Parts(
            DriverDirectory directory,
            DriverClock clock,
            int socketBuffer,
            Endpoints endpoints,
            DriverErrors errors,
            LinkPorts ports) {}

    /**
     * Starts a driver with a directory of its own below {@code parent}, best in memory (tmpfs). The directory is
     * deleted when the driver closes.
     *
     * @throws SegnoException if there is no room for the driver's files
     * @throws UncheckedIOException if the directory cannot be made
     */
    public static AeronDriver launch(Path parent) {
        return launch(parent, System::nanoTime);
    }

    /**
     * Starts a driver.
     *
     * @param ports of which each of its links takes one, at which it receives datagrams
     * @param ends of links for which it has counters
     */
    static AeronDriver launch(Path parent, LinkPorts ports, long ends) {
        return launch(parent, System::nanoTime, ports, ends);
    }

    /** Starts a driver with another clock. */
    static AeronDriver launch(Path parent, NanoClock base) {
        return launch(parent, base, LinkPorts.any(), 0);
    }

    private static AeronDriver launch(Path parent, NanoClock base, LinkPorts ports, long ends) {
        try (RoomTurn turn = RoomTurn.take(parent)) {
            turn.require(DriverSettings.filesLength(ends));
            return launch(base, ports, ends, DriverSettings.grantedBuffer(), DriverDirectory.make(parent));
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot start Aeron's driver below " + parent, e);
        }
    }

    private static AeronDriver launch(
            NanoClock base, LinkPorts ports, long ends, int socketBuffer, DriverDirectory directory) {
        final DriverErrors errors = new DriverErrors();
        final DriverClock clock = new DriverClock(base);
        final long wallOffsetMs = SystemEpochClock.INSTANCE.time() - TimeUnit.NANOSECONDS.toMillis(base.nanoTime());
        final EpochClock wallClock = () -> wallOffsetMs + TimeUnit.NANOSECONDS.toMillis(base.nanoTime());
        final ResolverAgent resolver = new ResolverAgent();
        final Endpoints endpoints = new Endpoints();
        @Nullable MediaDriver driver = null;
        try {
            driver = MediaDriver.launch(DriverSettings.driver(directory.path(), ends, clock, wallClock, errors::add)
                    .asyncExecutorThreadFactory(resolver)
                    .receiveChannelEndpointSupplier(endpoints)
                    .sendChannelEndpointSupplier(endpoints)
                    .receiverPortManager(ports)
                    .socketRcvbufLength(socketBuffer));
            directory.requireJob();
            final UdpTransportPoller sockets = PolledSockets.useIn(driver);
            final DriverCounts counts = new DriverCounts(driver.context().countersManager());
            endpoints.counts(counts);
            final DriverAgents agents = DriverAgents.of(driver, resolver.agent(), sockets, counts);
            final Aeron aeron = Aeron.connect(
                    DriverSettings.client(directory.path(), driver.sharedAgentInvoker(), base, wallClock, errors::add));
            return new AeronDriver(
                    driver, agents, aeron, new Parts(directory, clock, socketBuffer, endpoints, errors, ports));
        } catch (final RuntimeException | Error e) {
            CloseHelper.quietClose(driver);
            directory.delete();
            throw e;
        }
    }

    /** Returns the directory of the driver's files. */
    public Path directory() {
        return directory.path();
    }

    /** Returns the number of exceptions that Aeron has reported. */
    public long errors() {
        return errors.count();
    }

    /** Returns the number of datagrams that the links of this driver have dropped for a reason. */
    public long refused(DatagramRefusal reason) {
        return counts.refusals(reason);
    }

    /**
     * Returns how often there was no room for what a peer sends: for its logs, or for their counters. The link to it is
     * never joined.
     */
    int shortages() {
        return errors.shortages();
    }

    /** Returns the last shortage and the remedies. */
    String shortage() {
        return errors.shortage(counts.limit());
    }

    /**
     * Checks the room for the logs of another link, within a turn. Those of the other links may not all be made yet.
     *
     * @param rank of the peer
     * @throws SegnoException if there is none
     */
    void requireRoom(int rank, LinkSizes sizes) {
        long promised = 0;
        for (final AeronLink link : open) {
            promised += LinkSpace.ofEnd(link.sizes());
        }
        LinkSpace.require(rank, sizes, directory.path(), promised);
    }

    /** Returns false once the driver has failed or was closed, with all its links. */
    public boolean isRunning() {
        return isRunning;
    }

    /**
     * Runs a pass, or leaves it to the thread that is in one. It sends at most one datagram of each stream and receives
     * one of each link.
     *
     * @return the amount of work done
     */
    public int run() {
        if (!isRunning || !turn.tryBegin()) {
            return 0;
        }
        try {
            return pass();
        } finally {
            endTurn();
        }
    }

    /**
     * Runs a pass so that committed frames leave, or leaves it to the thread that is in one.
     *
     * @param receives true if the pass receives, too, which takes a system call for each link and spares the next poll
     *     its pass
     */
    void send(boolean receives) {
        hasFlushed = receives;
        if (!isRunning || !turn.tryBegin()) {
            return;
        }
        try {
            pass(true, receives, isWhole());
        } finally {
            endTurn();
        }
    }

    /** Returns true if the next pass is to run all agents. Those of quiet links do, because they are rare. */
    private boolean isWhole() {
        return agents.areDue() || quietPasses >= ACTIVE_PASSES;
    }

    /** Runs passes until one finds nothing to do, or another thread runs the driver. */
    void runAll() {
        for (int i = 0; i < OWED_PASSES && run() != 0; i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * Ends the turn, after passes for other threads. Those that call often owe another one in each pass: then this
     * thread ends the turn all the same, because they take it with one of their next calls.
     */
    private void endTurn() {
        for (int turns = 0; !turn.tryEnd(); turns++) {
            if (turns == OWED_TURNS) {
                turn.end();
                return;
            }
            // The other thread may have committed several datagrams.
            int work = 1;
            for (int i = 0; i < OWED_PASSES && work != 0; i++) {
                work = pass();
            }
        }
    }

    /**
     * Runs passes with the first poll of each round, in which each stream of each link is polled: one, or several once
     * many datagrams arrive, so that the engine lands and acknowledges them together. There is none after a flush that
     * has received nothing, unless a message waits for room.
     *
     * <p>Once links have been quiet for a time, not every round has a pass: it takes longer than all else that a
     * waiting engine does, and the engine may wait for something that comes through memory.
     */
    void polled() {
        final int poll = polls;
        polls = poll + 1 >= Frame.STREAMS * links.get() ? 0 : poll + 1;
        if (poll != 0) {
            return;
        }
        final boolean isEmpty = hasFlushed && !isBlocked && !agents.hasReceived();
        hasFlushed = false;
        if (isEmpty || !isDue() || !isRunning || !turn.tryBegin()) {
            return;
        }
        // Here and not in a method of its own: the JIT inlines up to a depth, which ends within Aeron.
        int datagrams = 0;
        try {
            do {
                // What a peer has taken, which may make room, comes to the sender's sockets.
                pass(isBlocked, true, isWhole());
                datagrams += agents.hasReceived() ? 1 : 0;
            } while (agents.hasReceived() && datagrams < allowedPasses);
            isBlocked = false;
        } finally {
            endTurn();
        }
        allowedPasses =
                agents.hasReceived() ? Math.min(MOST_PASSES, 2 * allowedPasses) : Math.max(1, allowedPasses / 2);
    }

    /** Records that a link has taken received bytes. */
    void taken(long bytes) {
        agents.taken(bytes);
    }

    /** Lets the next round of polls look for reports of peers, too: a message waits for room. */
    void blocked() {
        isBlocked = true;
    }

    private boolean isDue() {
        if (quietPasses < ACTIVE_PASSES) {
            return true;
        }
        final long nowNs = System.nanoTime();
        final boolean isDue = nowNs - polledNs >= QUIET_INTERVAL_NS;
        if (isDue) {
            polledNs = nowNs;
        }
        return isDue;
    }

    /** Returns the number of passes. */
    long passes() {
        return passes.getAcquire();
    }

    /** Returns the number of received datagrams that are in the logs of their streams. */
    long logged() {
        return logged.getAcquire();
    }

    /** Returns the number of passes that have run all agents. What Aeron knows of a link changes in these alone. */
    long wholePasses() {
        return wholePasses.getAcquire();
    }

    private int pass() {
        agents.requireAll();
        return pass(true, true, true);
    }

    private int pass(boolean sends, boolean receives, boolean isWhole) {
        // A directory or a file that is opened by an interrupted thread is closed at once.
        final boolean wasInterrupted = Thread.interrupted();
        int work = 0;
        try {
            // Nothing of a closed driver may be read, its counters neither.
            if (isRunning) {
                if (sends || isWhole) {
                    // A pass that only receives goes by the time of the last one.
                    clock.update();
                }
                try {
                    work = agents.run(sends, receives, isWhole);
                } finally {
                    if (agents.hasReceived()) {
                        logged.setRelease(counts.datagramsReceived());
                    }
                    if (agents.haveAllRun()) {
                        work += clientAgent.doWork();
                        showSent();
                        wholePasses.setRelease(wholePasses.getPlain() + 1);
                    }
                }
            }
        } catch (final AgentTerminationException e) {
            fail(e);
        } catch (final Exception e) {
            errors.add(e);
        } catch (final Error e) {
            fail(e);
            throw e;
        } finally {
            passes.setRelease(passes.getPlain() + 1);
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (isRunning && !closing.isEmpty()) {
            release();
        }
        quietPasses = work == 0 ? Math.min(quietPasses + 1, ACTIVE_PASSES) : 0;
        return work;
    }

    private void showSent() {
        for (int i = 0, size = open.size(); i < size; i++) {
            open.get(i).showSent();
        }
    }

    /** Ends the driver, which has failed, and with it all links of this process. */
    void fail(Throwable cause) {
        isRunning = false;
        LOGGER.log(Level.ERROR, "Aeron's driver has ended; all links of this process are down", cause);
    }

    private void release() {
        for (int i = closing.size() - 1; i >= 0; i--) {
            if (closing.get(i).tryRelease(clock.nanoTime())) {
                closing.remove(i);
            }
        }
    }

    /** Executes an action while no other thread runs the driver. */
    <T> T exclusively(Supplier<T> action) {
        turn.begin();
        try {
            if (!isRunning) {
                throw new IllegalStateException("Aeron's driver has ended");
            }
            return action.get();
        } finally {
            endTurn();
        }
    }

    /** Adds a subscription, within a turn. */
    Subscription subscribe(String channel, int stream) {
        return await(aeron.asyncAddSubscription(channel, LinkAccess.id(stream)), aeron::getSubscription, channel);
    }

    /** Adds a publication, within a turn. */
    SendStream publish(String channel, int stream, LinkSizes sizes) {
        final ExclusivePublication publication = await(
                aeron.asyncAddExclusivePublication(channel, LinkAccess.id(stream)),
                aeron::getExclusivePublication,
                channel);
        return SendStream.over(publication, sizes, aeron);
    }

    private <T> T await(long registration, LongFunction<@Nullable T> resource, String channel) {
        for (int i = 0; i < COMMAND_PASSES; i++) {
            pass();
            final T made = resource.apply(registration);
            if (made != null) {
                return made;
            }
        }
        throw new IllegalStateException("Aeron's driver does not make " + channel);
    }

    /** Adds a link that was opened, within a turn. */
    void opened(AeronLink link) {
        open.add(link);
        links.set(open.size());
        counts.links(open.size());
    }

    /** Ends links, after all that can be sent, within a turn. They are kept until their peers have ended them, too. */
    void end(List<AeronLink> ended) {
        for (final AeronLink link : ended) {
            link.dropClaim();
            drain(link);
            link.closeSends();
        }
        pass();
        // The end of a stream leaves with a heartbeat.
        clock.skip(DriverSettings.HEARTBEAT_NS + 1);
        pass();
        pass();
        closing.addAll(ended);
        open.removeAll(ended);
        links.set(open.size());
        counts.links(open.size());
    }

    private void drain(AeronLink link) {
        long unsent = link.unsent();
        for (long before = Long.MAX_VALUE; unsent > 0 && unsent < before; unsent = link.unsent()) {
            before = unsent;
            pass();
        }
    }

    /** Returns the time of the driver. */
    long timeNs() {
        return clock.nanoTime();
    }

    /** Returns the reason why a link cannot listen, as {@link LinkPorts#reason} does. Within a turn. */
    RuntimeException reason(InetAddress host, RuntimeException cause) {
        return ports.reason(host, cause);
    }

    /** Returns the counts of all links. */
    DriverCounts counts() {
        return counts;
    }

    int socketBuffer() {
        return socketBuffer;
    }

    /** Returns the counts of the link to a rank. */
    Refusals refusalsOfLink(int rank) {
        return new Refusals(counts, rank);
    }

    /** Returns a number that names a socket of this driver, which has this access. Within a turn. */
    long expect(LinkAccess access) {
        final long tag = aeron.nextCorrelationId();
        endpoints.expect(tag, access);
        return tag;
    }

    /** Ends the making of a socket. Returns it if it is one for sending. Within a turn. */
    @Nullable
    CheckedSender made(long tag) {
        return endpoints.made(tag);
    }

    /**
     * Ends all links as their {@link AeronLink#close} does, and deletes the driver's files. Called after the last pass
     * of the engines that use its links.
     */
    @Override
    public void close() {
        turn.begin();
        final boolean wasInterrupted = Thread.interrupted();
        try {
            // Each of them, although one may throw: the files must not stay.
            CloseHelper.closeAll(
                    () -> {
                        if (isRunning) {
                            end(List.copyOf(open));
                        }
                    },
                    () -> isRunning = false,
                    aeron,
                    driver,
                    directory::delete);
        } finally {
            endTurn();
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
