package org.segno.transport.aeron;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.ThreadFactory;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.jspecify.annotations.Nullable;

/**
 * Obtains the agent with which a driver resolves addresses, in place of the driver's thread for it, which never runs.
 * The alternative within Aeron is an invoker, which an interrupt ends for ever.
 */
final class ResolverAgent implements ThreadFactory {
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
        return requireNonNull(agent, "the driver resolves addresses in another way");
    }
}
