package org.segno.transport.aeron;

import io.aeron.driver.MediaDriver;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.CompositeAgent;
import org.segno.status.SegnoException;

/**
 * The agents of Aeron's driver, which has no thread. Each pass runs those that it needs: while an engine waits for a
 * message, that is the receiver alone. Used within turns of the driver.
 *
 * <p>Aeron offers an invoker of all agents together. With threads of their own they would pass commands through queues
 * of fixed length, in which one that is full waits for another thread. So the agents are taken out of the invoker's.
 */
final class DriverAgents {
    private static final List<String> ROLES = List.of("sender", "receiver", "driver-conductor");

    private final Agent sender;
    private final Agent receiver;
    private final Agent conductor;
    private final Agent resolver;

    private DriverAgents(Agent[] agents, Agent resolver) {
        this.sender = agents[0];
        this.receiver = agents[1];
        this.conductor = agents[2];
        this.resolver = resolver;
    }

    /**
     * Returns the agents of an invoked driver.
     *
     * @param resolver the agent that resolves addresses
     * @throws SegnoException if this process hides them, or Aeron has others
     */
    static DriverAgents of(MediaDriver driver, Agent resolver) {
        final Agent[] agents =
                parts((CompositeAgent) driver.sharedAgentInvoker().agent());
        final List<String> roles = Arrays.stream(agents).map(Agent::roleName).toList();
        if (!roles.equals(ROLES)) {
            throw new SegnoException("the driver of Aeron has the agents " + roles + ", not " + ROLES
                    + ": use the version of Aeron that Segno names");
        }
        return new DriverAgents(agents, resolver);
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

    /**
     * Runs agents, each even if the one before has failed.
     *
     * @param sends sends what was committed, at most one datagram of each stream, and what is repeated
     * @param receives receives a datagram of each link, and reports what was received
     * @param conducts moves the limits of the streams, and carries out commands
     * @return the amount of work done
     */
    int run(boolean sends, boolean receives, boolean conducts) throws Exception {
        int work = 0;
        try {
            work += sends ? sender.doWork() : 0;
        } finally {
            try {
                work += receives ? receiver.doWork() : 0;
            } finally {
                work += conducts ? conductor.doWork() + resolver.doWork() : 0;
            }
        }
        return work;
    }
}
