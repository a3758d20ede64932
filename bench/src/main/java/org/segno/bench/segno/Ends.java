package org.segno.bench.segno;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Spin;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.Target;
import org.segno.counter.CounterSettings;
import org.segno.counter.ReceptionCounter;
import org.segno.counter.Right;
import org.segno.job.JobConfig;
import org.segno.memory.Window;
import org.segno.metrics.NodeMetrics;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.Refusal;

/** One end of an experiment between two nodes: a node, a window with a counter over it, and the same of the peer as a target. */
final class Ends implements AutoCloseable {
    private static final String JOB = "bench-00000000000000b5";
    private static final String NAME = "in";

    private final boolean dedicated;
    private final Gate gate;
    private final Node node;
    private final Window incoming;
    private final Window outgoing;
    private final ReceptionCounter counter;
    private final Target target;

    private Ends(Role role, Path directory, Threading threading, NodeConfig config, int windowBytes) {
        dedicated = threading == Threading.DEDICATED;
        gate = new Gate(dedicated);
        node = Node.join(
                JobConfig.of(JOB, role == Role.ORIGIN ? 0 : 1, 2).withDirectory(directory),
                config.withThreading(threading).withIdle(() -> gate).withWindowBytes(2L * windowBytes + 4096));
        final Client client = node.client();
        incoming = client.window(windowBytes);
        outgoing = client.window(windowBytes);
        counter = client.receptionCounter(
                incoming, 0, windowBytes, CounterSettings.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        client.publish(NAME, counter);
        target = client.context().attach(1 - node.rank(), NAME, deadline());
        client.context().barrier(deadline());
    }

    static Ends open(Role role, Path directory, Threading threading, NodeConfig config, int windowBytes) {
        return new Ends(role, directory, threading, config, windowBytes);
    }

    /** Longer than any slice. */
    static long deadline() {
        return Deadline.in(60, TimeUnit.SECONDS);
    }

    Context context() {
        return node.client().context();
    }

    Client client() {
        return node.client();
    }

    int peer() {
        return 1 - node.rank();
    }

    Window incoming() {
        return incoming;
    }

    Window outgoing() {
        return outgoing;
    }

    ReceptionCounter counter() {
        return counter;
    }

    Target target() {
        return target;
    }

    /**
     * Lets a moment pass after a pass of work {@code done}; {@code spins} is what the last call of this wait returned. A core shared
     * with an engine of its own is handed over at once.
     */
    @SuppressWarnings("ThreadPriorityCheck") // It is the scheduler that is asked.
    int pause(int done, int spins) {
        if (done != 0) {
            return 0;
        }
        if (dedicated) {
            Thread.yield();
            return 0;
        }
        return Spin.pause(spins);
    }

    /** A dedicated engine works from here on. */
    void enter() {
        gate.open();
    }

    /** A dedicated engine rests: other experiments are measured now. */
    void leave() {
        gate.shut();
    }

    /** Closes the node; an experiment whose messages were refused has measured nothing. */
    @Override
    public void close() {
        gate.open();
        final NodeMetrics metrics = node.metrics();
        for (final Refusal refusal : Refusal.values()) {
            if (metrics.get(refusal) != 0) {
                throw new IllegalStateException("refused: " + metrics.get(refusal) + " times " + refusal.reason());
            }
        }
        node.close();
    }

    /** While open it spins, or hands the core over if there is an engine to hand it to; parks while shut. */
    private static final class Gate implements IdleStrategy {
        private static final long PARK_NS = 1_000_000;
        private final boolean yields;
        private volatile boolean isOpen = true;

        Gate(boolean yields) {
            this.yields = yields;
        }

        void open() {
            isOpen = true;
        }

        void shut() {
            isOpen = false;
        }

        @Override
        public void idle(int workCount) {
            if (workCount == 0) {
                idle();
            }
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // It is the scheduler that is asked.
        public void idle() {
            if (yields) {
                Thread.yield();
            }
            while (!isOpen) {
                LockSupport.parkNanos(PARK_NS);
            }
        }

        @Override
        public void reset() {}
    }
}
