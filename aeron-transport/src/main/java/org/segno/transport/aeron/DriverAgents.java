package org.segno.transport.aeron;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.CompositeAgent;

/**
 * The agents of Aeron's driver, which has no thread. Each pass runs those that it needs: while an engine waits for a
 * message, that is the receiver alone. Used within turns of the driver.
 */
final class DriverAgents {
    private final UnstartedAgent sender = new UnstartedAgent();
    private final UnstartedAgent receiver = new UnstartedAgent();
    private final UnstartedAgent conductor = new UnstartedAgent();
    private final UnstartedAgent resolver = new UnstartedAgent();

    /** Lets a driver that is launched with these settings leave its agents here. */
    MediaDriver.Context catchAll(MediaDriver.Context settings) {
        return settings.threadingMode(ThreadingMode.DEDICATED)
                .senderThreadFactory(sender)
                .receiverThreadFactory(receiver)
                .conductorThreadFactory(conductor)
                .asyncExecutorThreadFactory(resolver);
    }

    /** Begins the agents of the driver that was launched. */
    void start() {
        conductor.agent().onStart();
        sender.agent().onStart();
        receiver.agent().onStart();
    }

    /** Sends what was committed, at most one datagram of each stream, and what is repeated. */
    int send() throws Exception {
        return sender.agent().doWork();
    }

    /** Receives a datagram of each link, and reports what was received. */
    int receive() throws Exception {
        return receiver.agent().doWork();
    }

    /** Moves the limits of the streams, and carries out commands. */
    int conduct() throws Exception {
        return conductor.agent().doWork() + resolver.agent().doWork();
    }

    /** Returns an invoker of the driver, for its client. */
    AgentInvoker invoker(ErrorHandler errors) {
        return new AgentInvoker(errors, null, new CompositeAgent(sender.agent(), receiver.agent(), conductor.agent()));
    }
}
