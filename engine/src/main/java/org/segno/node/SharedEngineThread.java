package org.segno.node;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.DynamicCompositeAgent;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.job.Platform;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/** The one thread of this process that runs the engines of all nodes in {@code SHARED} mode, in turn; there while there are any. Any thread. */
final class SharedEngineThread {
    /**
     * An engine among others: what it throws is its own node's to hear, and ends nobody else's pass.
     *
     * @param engine of a node
     * @param errors of that node
     */
    record Guarded(Agent engine, ErrorHandler errors) implements Agent {
        @Override
        public int doWork() {
            try {
                return engine.doWork();
            } catch (Exception e) {
                errors.onError(e);
                return 0;
            }
        }

        @Override
        public String roleName() {
            return engine.roleName();
        }
    }

    private static final long CHANGE_LIMIT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_NS = 20_000;

    private static @Nullable SharedEngineThread running;

    private final DynamicCompositeAgent engines = new DynamicCompositeAgent("segno-dma-shared");
    private final AgentRunner runner;
    private int users;

    private SharedEngineThread(IdleStrategy idle) {
        this.runner = new AgentRunner(
                idle,
                // What engines throw they report themselves.
                thrown -> System.getLogger(SharedEngineThread.class.getName())
                        .log(System.Logger.Level.ERROR, "the thread of shared engines", thrown),
                null,
                engines);
    }

    /** From here on the thread runs {@code engine} too; {@code idle} is how it waits if this is its first. */
    static void add(Agent engine, Supplier<IdleStrategy> idle) {
        synchronized (SharedEngineThread.class) {
            SharedEngineThread thread = running;
            if (thread == null) {
                thread = new SharedEngineThread(idle.get());
                AgentRunner.startOnThread(thread.runner, work -> Platform.thread("segno-dma-shared", work));
                running = thread;
            }
            thread.users++;
            final DynamicCompositeAgent engines = thread.engines;
            await(() -> engines.status() == DynamicCompositeAgent.Status.ACTIVE && engines.tryAdd(engine));
            await(engines::hasAddAgentCompleted);
        }
    }

    /** The thread runs {@code engine} no more; with its last engine it ends. */
    static void remove(Agent engine) {
        synchronized (SharedEngineThread.class) {
            final SharedEngineThread thread = running;
            if (thread == null) {
                return;
            }
            final DynamicCompositeAgent engines = thread.engines;
            await(() -> engines.tryRemove(engine));
            await(engines::hasRemoveAgentCompleted);
            if (--thread.users == 0) {
                running = null;
                thread.runner.close();
            }
        }
    }

    private static void await(BooleanSupplier condition) {
        final long deadlineNs = Deadline.in(CHANGE_LIMIT_NS, TimeUnit.NANOSECONDS);
        while (!condition.getAsBoolean()) {
            if (Deadline.reached(deadlineNs)) {
                throw new SegnoException("the thread of shared engines does not answer: has a handler of an idle"
                        + " strategy, or an engine, stopped it?");
            }
            Platform.park(LOOK_NS);
        }
    }
}
