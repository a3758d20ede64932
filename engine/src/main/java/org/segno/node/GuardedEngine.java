package org.segno.node;

import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.work.Pass;

/**
 * An engine that confines its failures to its node. An exception is recorded and the engine continues. An error, a lack
 * of memory for instance, may have left the engine's state inconsistent: the engine stops, and its node fails with the
 * engine's name. Run by one thread at a time.
 *
 * <p>An engine that has links and is run by a context's thread is <em>shared</em>: the threads of other contexts
 * receive for it, because messages to their contexts arrive there too. A turn, which nobody waits for, excludes them
 * from each other.
 */
final class GuardedEngine implements Pass {
    /** Receives the failure of an engine, on the thread that ran it. */
    @FunctionalInterface
    interface FailureHandler {
        void onFailure(String engine, Throwable cause);
    }

    private final DmaEngine engine;
    private final ErrorHandler errors;
    private final FailureHandler failures;
    private final boolean isShared;
    private final AtomicBoolean turn = new AtomicBoolean();
    private volatile boolean running;

    /** Creates the guard of an engine, which is shared if other threads receive for it. */
    GuardedEngine(DmaEngine engine, boolean isShared, ErrorHandler errors, FailureHandler failures) {
        this.engine = engine;
        this.isShared = isShared;
        this.errors = errors;
        this.failures = failures;
    }

    /** Enables passes. */
    void start() {
        running = true;
    }

    /**
     * Runs one pass of a running engine. Counts as work while another thread receives for it.
     *
     * @throws Error if one ended the engine: it reaches the application's thread that runs the engine, where that
     *     thread advances
     */
    @Override
    public int run() {
        return isShared ? runInTurn() : pass();
    }

    private int runInTurn() {
        if (!take()) {
            return 1;
        }
        try {
            return pass();
        } finally {
            turn.setRelease(false);
        }
    }

    /** Receives for a shared engine, unless another thread runs it at present. Called by any thread. */
    int receive() {
        if (!take()) {
            return 0;
        }
        try {
            return running ? engine.receive() : 0;
        } catch (RuntimeException | Error e) {
            return failed(e);
        } finally {
            turn.setRelease(false);
        }
    }

    private boolean take() {
        return !turn.getPlain() && turn.compareAndSet(false, true);
    }

    private int pass() {
        if (!running) {
            return 0;
        }
        try {
            return engine.doWork();
        } catch (RuntimeException | Error e) {
            return failed(e);
        }
    }

    /** Records an exception, or ends the engine by an error. */
    private int failed(Throwable cause) {
        if (cause instanceof Error error) {
            fail(error);
            throw error;
        }
        errors.onError(cause);
        return 0;
    }

    @Override
    public void rest() {
        if (!isShared) {
            engine.rest();
        } else if (take()) {
            // Otherwise the thread that receives leaves the engine at rest.
            try {
                engine.rest();
            } finally {
                turn.setRelease(false);
            }
        }
    }

    @Override
    public boolean isBlocked() {
        return engine.isBlocked();
    }

    @Override
    public @Nullable ReceptionFifoProducer lane(int rank, int context) {
        return engine.lane(rank, context);
    }

    @Override
    public @Nullable DirectExecution direct() {
        return isShared ? null : engine.direct(this::failed);
    }

    @Override
    public void arrived(int rank, int context) {
        if (!isShared) {
            engine.arrived(rank, context);
            return;
        }
        while (!take()) {
            Thread.onSpinWait();
        }
        try {
            engine.arrived(rank, context);
        } finally {
            turn.setRelease(false);
        }
    }

    /** Ends the engine and fails its node, on the thread that runs the engine. */
    void fail(Throwable cause) {
        final boolean wasRunning = running;
        running = false;
        engine.ended();
        if (wasRunning) {
            failures.onFailure(engine.roleName(), cause);
        }
    }

    /** Disables passes. */
    void stop() {
        running = false;
    }

    /** Ends the engine after its last pass, so that closing peers no longer wait for it. */
    void ended() {
        engine.ended();
    }

    String name() {
        return engine.roleName();
    }
}
