package org.segno.transport.aeron;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.ThreadFactory;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.jspecify.annotations.Nullable;

/**
 * Obtains an agent of a driver in place of the driver's thread for it, which never runs: the passes of the driver run
 * the agent. The alternative within Aeron are invokers, which an interrupt ends for ever, and which run all agents in
 * each pass.
 */
final class UnstartedAgent implements ThreadFactory {
    private @Nullable Agent agent;

    @Override
    public Thread newThread(Runnable runner) {
        agent = ((AgentRunner) runner).agent();
        return new Thread() {
            @Override
            public void start() {
                // The passes of the driver run the agent.
            }
        };
    }

    /** Returns the agent of the driver that was launched. */
    Agent agent() {
        return requireNonNull(agent, "the driver has another thread for it");
    }
}
