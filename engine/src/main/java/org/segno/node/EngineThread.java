package org.segno.node;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.Platform;
import org.segno.engine.work.RestRule;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/**
 * A thread that runs engines in turn: the one engine of a {@code DEDICATED} node, or those of all {@code SHARED} nodes
 * of the process. Interrupts do not end it. An error ends the engine that threw it; an error of the idle strategy ends
 * all engines. One thread at a time adds and removes engines.
 */
final class EngineThread implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(EngineThread.class.getName());
    private static final long CHANGE_LIMIT_NS = TimeUnit.SECONDS.toNanos(10);

    /** Maximum remaining sleep of an idle strategy before the thread is interrupted. */
    private static final long SLEEP_LIMIT_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final long POLL_NS = 20_000;

    private final IdleStrategy idle;
    private final Thread thread;
    private volatile GuardedEngine[] engines = {};

    /** Engines of the current pass. Once this is the changed array, a removed engine no longer runs. */
    private volatile GuardedEngine[] served = engines;

    /** The error that has ended the thread. Guarded by this object's monitor, like changes of {@link #engines}. */
    private @Nullable Throwable failure;

    private volatile boolean closed;

    private EngineThread(String name, IdleStrategy idle, UnaryOperator<Runnable> before) {
        this.idle = idle;
        this.thread = Platform.thread(name, before.apply(this::run));
    }

    /** Starts a thread without engines. The function {@code before} wraps its work. */
    static EngineThread start(String name, IdleStrategy idle, UnaryOperator<Runnable> before) {
        final EngineThread started = new EngineThread(name, idle, before);
        started.thread.start();
        return started;
    }

    /** Adds an engine, which runs from one of the next passes on. If the thread has failed, the engine fails too. */
    void add(GuardedEngine engine) {
        final Throwable cause;
        synchronized (this) {
            final GuardedEngine[] more = Arrays.copyOf(engines, engines.length + 1);
            more[engines.length] = engine;
            engines = more;
            cause = failure;
        }
        if (cause != null) {
            engine.fail(cause);
        }
    }

    /**
     * Removes an engine, which no longer runs when this method returns.
     *
     * @throws SegnoException if the thread's current pass does not end
     */
    void remove(GuardedEngine engine) {
        final GuardedEngine[] fewer;
        synchronized (this) {
            fewer = Arrays.stream(engines).filter(other -> other != engine).toArray(GuardedEngine[]::new);
            engines = fewer;
        }
        await(() -> served == fewer || !thread.isAlive());
    }

    /** Returns true if it has no engine. */
    boolean isEmpty() {
        return engines.length == 0;
    }

    /** Returns true once an error has ended it. */
    synchronized boolean hasFailed() {
        return failure != null;
    }

    private void await(BooleanSupplier condition) {
        final long deadlineNs = Deadline.in(CHANGE_LIMIT_NS, TimeUnit.NANOSECONDS);
        while (!condition.getAsBoolean()) {
            if (Deadline.reached(deadlineNs)) {
                throw new SegnoException("the thread " + thread.getName() + " is blocked in its idle strategy or an"
                        + " engine: let the strategy given to withIdle return within seconds");
            }
            Platform.park(POLL_NS);
        }
    }

    private void run() {
        try {
            serve();
        } catch (Throwable e) {
            final GuardedEngine[] left;
            synchronized (this) {
                failure = e;
                left = engines;
            }
            for (final GuardedEngine engine : left) {
                engine.fail(e);
            }
            // Last, because logging fails too without memory or open files.
            LOGGER.log(Level.ERROR, "the thread " + thread.getName() + " has ended with an error", e);
        }
    }

    private void serve() {
        final RestRule rests = new RestRule(idle);
        while (!closed) {
            final GuardedEngine[] now = engines;
            if (now != served) {
                served = now;
            }
            int work = 0;
            for (final GuardedEngine engine : now) {
                work += pass(engine);
            }
            if (work == 0) {
                // With the interrupt flag set, every park would return at once.
                Thread.interrupted();
            }
            if (rests.isRestDue(work)) {
                rest(now);
            }
            idle.idle(work);
        }
    }

    private static int pass(GuardedEngine engine) {
        try {
            return engine.run();
        } catch (Error ignored) {
            // Its node has failed with a named reason. The engines of other nodes continue.
            return 0;
        }
    }

    private static void rest(GuardedEngine[] engines) {
        for (final GuardedEngine engine : engines) {
            engine.rest();
        }
    }

    /**
     * Ends the thread after its current pass and waits for the end, even if the caller is interrupted. May be called
     * twice.
     */
    @Override
    public void close() {
        closed = true;
        if (!Platform.join(thread, SLEEP_LIMIT_NS)) {
            thread.interrupt();
            if (!Platform.join(thread, CHANGE_LIMIT_NS)) {
                LOGGER.log(
                        Level.ERROR,
                        "the thread {0} does not end: its idle strategy or an engine is blocked",
                        thread.getName());
            }
        }
    }
}
