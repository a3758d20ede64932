package org.segno.node;

import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.work.Pass;

/**
 * An engine that confines its failures to its node. An exception is recorded and the engine continues. An error, a lack
 * of memory for instance, may have left the engine's state inconsistent: the engine stops, and its node fails with the
 * engine's name. Run by one thread at a time.
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
    private volatile boolean running;

    GuardedEngine(DmaEngine engine, ErrorHandler errors, FailureHandler failures) {
        this.engine = engine;
        this.errors = errors;
        this.failures = failures;
    }

    /** Enables passes. */
    void start() {
        running = true;
    }

    /**
     * Runs one pass of a running engine.
     *
     * @throws Error if one ended the engine: it reaches the application's thread that runs the engine, where that
     *     thread advances
     */
    @Override
    public int run() {
        if (!running) {
            return 0;
        }
        try {
            return engine.doWork();
        } catch (RuntimeException e) {
            errors.onError(e);
            return 0;
        } catch (Error e) {
            fail(e);
            throw e;
        }
    }

    @Override
    public void rest() {
        engine.rest();
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
    public void arrived(int rank, int context) {
        engine.arrived(rank, context);
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
