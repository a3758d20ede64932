package org.segno.transport.aeron;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.UdpTransportPoller;
import io.aeron.driver.status.SystemCounterDescriptor;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.CompositeAgent;
import org.agrona.concurrent.status.AtomicCounter;
import org.segno.status.SegnoException;

/**
 * The agents of Aeron's driver, which has no thread. Each pass runs those that it needs: while an engine waits for a
 * message, it only polls the sockets at which the receiver would receive. Used within turns of the driver.
 *
 * <p>Aeron offers an invoker of all agents together. With threads of their own they would pass commands through queues
 * of fixed length, in which one that is full waits for another thread. So the agents are taken out of the invoker's.
 */
final class DriverAgents {
    private static final List<String> ROLES = List.of("sender", "receiver", "driver-conductor");

    /**
     * One of so many passes runs all agents, or the next one if that one receives: what has arrived is handled first.
     * The limits of streams, which the other passes leave as they are, are far enough for the datagrams of all.
     */
    static final int WHOLE = 4;

    /**
     * The same if nothing was sent, received or taken since the last pass of all agents. In an exchange of requests and
     * replies, the pass that sends is one of all agents. Those that follow, until the reply arrives, only receive.
     */
    static final int WHOLE_IDLE = 16;

    /**
     * Taken bytes that are reported at once: half of what the receiver of a stream with the shortest term reports. A
     * peer may wait for the report.
     */
    static final int REPORTED_BYTES = LinkSizes.MIN_TERM / 2 / 4 / 2;

    private final Agent sender;
    private final Agent receiver;
    private final Agent conductor;
    private final Agent resolver;
    private final UdpTransportPoller sockets;
    private final DriverCounts counts;
    private final AtomicCounter bytesReceived;

    /** True if the last pass has received a datagram, and if it has run all agents. */
    private boolean hasReceived;

    private boolean haveAllRun;

    /** True if anything was sent, received or taken since the last pass of all agents. */
    private boolean isActive;

    /** Passes since the last one that ran all agents. */
    private int partialPasses;

    /** Bytes that links have taken since a report was last due. */
    private long takenBytes;

    /** True if the conductor has handled {@link #REPORTED_BYTES}. The next pass that receives reports them. */
    private boolean isReportDue;

    private DriverAgents(
            Agent[] agents,
            Agent resolver,
            UdpTransportPoller sockets,
            DriverCounts counts,
            AtomicCounter bytesReceived) {
        this.sender = agents[0];
        this.receiver = agents[1];
        this.conductor = agents[2];
        this.resolver = resolver;
        this.sockets = sockets;
        this.counts = counts;
        this.bytesReceived = bytesReceived;
    }

    /**
     * Returns the agents of an invoked driver.
     *
     * @param resolver the agent that resolves addresses
     * @param sockets at which the receiver receives
     * @param counts include the datagrams that it has received
     * @throws SegnoException if this process hides them, or Aeron has others
     */
    static DriverAgents of(MediaDriver driver, Agent resolver, UdpTransportPoller sockets, DriverCounts counts) {
        final Agent[] agents =
                parts((CompositeAgent) driver.sharedAgentInvoker().agent());
        final List<String> roles = Arrays.stream(agents).map(Agent::roleName).toList();
        if (!roles.equals(ROLES)) {
            throw new SegnoException("the driver of Aeron has the agents " + roles + ", not " + ROLES
                    + ": use the version of Aeron that Segno names");
        }
        return new DriverAgents(
                agents,
                resolver,
                sockets,
                counts,
                driver.context().systemCounters().get(SystemCounterDescriptor.BYTES_RECEIVED));
    }

    private static Agent[] parts(CompositeAgent all) {
        try {
            return (Agent[]) MethodHandles.privateLookupIn(CompositeAgent.class, MethodHandles.lookup())
                    .findVarHandle(CompositeAgent.class, "agents", Agent[].class)
                    .get(all);
        } catch (final ReflectiveOperationException e) {
            throw new SegnoException(
                    "the agents of Aeron's driver are hidden: " + e + "; use the version of Agrona that Segno names, on"
                            + " the class path, or open its package org.agrona.concurrent (--add-opens)",
                    e);
        }
    }

    /** Returns true if the next pass is to run all agents. */
    boolean areDue() {
        return partialPasses >= interval() - 1;
    }

    private int interval() {
        return isActive ? WHOLE : WHOLE_IDLE;
    }

    /** Lets the next pass run all agents whatever it receives, if it is to run all. */
    void requireAll() {
        partialPasses = WHOLE_IDLE;
    }

    /**
     * Records that links have taken received bytes. Threads without the turn may call it, and miss each other's counts,
     * which only moves a report.
     */
    void taken(long bytes) {
        takenBytes += bytes;
        isActive = true;
    }

    /** Returns true if the last pass has received a datagram. */
    boolean hasReceived() {
        return hasReceived;
    }

    /** Returns true if the last pass has run all agents. */
    boolean haveAllRun() {
        return haveAllRun;
    }

    /**
     * Runs agents, each even if the one before has failed. What is sent leaves before anything is received.
     *
     * @param sends sends what was committed, at most one datagram of each stream, and what is repeated
     * @param receives receives a datagram of each link
     * @param all receives, and runs the other agents, too: the conductor moves the limits of the streams, and carries
     *     out commands
     * @return the amount of work done
     */
    int run(boolean sends, boolean receives, boolean all) throws Exception {
        final long before = counts.datagramsReceived();
        final int interval = interval();
        int work = 0;
        haveAllRun = false;
        partialPasses++;
        try {
            work += sends ? sender.doWork() : 0;
        } finally {
            try {
                if (all || (receives && isReportDue)) {
                    isReportDue = false;
                    work += receiver.doWork();
                } else if (receives) {
                    work += receive();
                }
            } finally {
                hasReceived = counts.datagramsReceived() != before;
                isActive |= sends || hasReceived;
                if (all && (!hasReceived || partialPasses > interval)) {
                    work += complete(!sends);
                }
            }
        }
        return work;
    }

    /** Receives as the receiver does, without its reports. */
    private int receive() {
        final int bytes = sockets.pollTransports();
        if (bytes > 0) {
            bytesReceived.getAndAddRelease(bytes);
        }
        return bytes;
    }

    private int complete(boolean sends) throws Exception {
        haveAllRun = true;
        isActive = false;
        partialPasses = 0;
        isReportDue = takenBytes >= REPORTED_BYTES;
        takenBytes = isReportDue ? 0 : takenBytes;
        int work = 0;
        try {
            work += sends ? sender.doWork() : 0;
        } finally {
            work += conductor.doWork() + resolver.doWork();
        }
        return work;
    }
}
