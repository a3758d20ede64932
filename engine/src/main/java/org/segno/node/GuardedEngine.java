package org.segno.node;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.Exclusion;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.trace.TraceRing;
import org.segno.engine.trace.TraceScope;
import org.segno.engine.work.Pass;

/**
 * An engine that confines its failures to its node. An exception is recorded and the engine continues. An error, a lack
 * of memory for instance, may have left the engine's state inconsistent: the engine stops, and its node fails with the
 * engine's name. Run by one thread at a time.
 *
 * <p>An engine that has links and is run by a context's thread is <em>shared</em>: the threads of other contexts
 * receive for it, because messages to their contexts arrive there too. While no thread runs it, the membership thread
 * does so now and then. A turn, which nobody waits for, excludes them from each other.
 */
final class GuardedEngine implements Pass, Exclusion {
    /** Receives the failure of an engine, on the thread that ran it. */
    @FunctionalInterface
    interface FailureHandler {
        void onFailure(String engine, Throwable cause);
    }

    /** Maximum number of receptions in a row while the application computes. */
    private static final int ATTENDED_RECEPTIONS = 64;

    /** Time without a pass after which an application computes, and after which one that rested does. */
    private static final long COMPUTING_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long RESTED_NS = TimeUnit.MILLISECONDS.toNanos(75);

    private final DmaEngine engine;
    private final ErrorHandler errors;
    private final FailureHandler failures;
    private final boolean isShared;
    private final AtomicBoolean turn = new AtomicBoolean();
    private volatile boolean running;

    /** True if applications write no records into lanes themselves: the trace is to have them all. */
    private boolean areRecordsStaged;

    /** Number of passes, and of those before the last {@link #attend}. */
    private int passes;

    private int attended;

    /** Time of the first call of {@link #attend} after the last pass. */
    private long quietSinceNs;

    /** True from a rest to the next pass: the application waits, and runs one when it wakes. */
    private boolean isResting;

    /** Creates the guard of an engine, which is shared if other threads receive for it. */
    GuardedEngine(DmaEngine engine, boolean isShared, ErrorHandler errors, FailureHandler failures) {
        this.engine = engine;
        this.isShared = isShared;
        this.errors = errors;
        this.failures = failures;
    }

    /** Writes a trace of what the engine carries out. Called before {@link #start}. */
    void trace(TraceRing ring, TraceScope scope, boolean withPayloads) {
        engine.trace(ring, scope, withPayloads);
        areRecordsStaged = scope == TraceScope.ALL;
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
        if (isShared && !tryBegin()) {
            return 1;
        }
        // No methods of their own: the JIT inlines up to a depth, which ends within the drivers of links.
        try {
            passes++;
            isResting = false;
            return running ? engine.doWork() : 0;
        } catch (Throwable e) {
            return failed(e);
        } finally {
            if (isShared) {
                end();
            }
        }
    }

    /** Receives for a shared engine, unless another thread runs it at present. Called by any thread. */
    int receive() {
        if (!tryBegin()) {
            return 0;
        }
        try {
            return running ? engine.receive() : 0;
        } catch (Throwable e) {
            return failed(e);
        } finally {
            end();
        }
    }

    /**
     * Receives and acknowledges everything, if the application has run no pass for a while. Called every 10 or 40 ms by
     * the membership thread. Throws nothing.
     *
     * @return true if the application does not rest, so that the next call should follow soon
     */
    boolean attend(long nowNs) {
        // Without the turn, to leave the passes alone. A count that is not seen yet costs one reception too many.
        if (passes != attended) {
            attended = passes;
            quietSinceNs = nowNs;
        }
        if (nowNs - quietSinceNs < (isResting ? RESTED_NS : COMPUTING_NS) || !tryBegin()) {
            return !isResting;
        }
        try {
            int receptions = 0;
            while (running && receptions < ATTENDED_RECEPTIONS && engine.receive() != 0) {
                receptions++;
            }
            if (running) {
                engine.rest();
            }
        } catch (RuntimeException e) {
            errors.onError(e);
        } catch (Error e) {
            fail(e);
        } finally {
            end();
        }
        return true;
    }

    @Override
    public boolean tryBegin() {
        return !turn.getPlain() && turn.compareAndSet(false, true);
    }

    @Override
    public void end() {
        turn.setRelease(false);
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
            return;
        }
        isResting = true;
        if (tryBegin()) {
            // Otherwise the thread that receives leaves the engine at rest.
            try {
                engine.rest();
            } finally {
                end();
            }
        }
    }

    @Override
    public boolean isBlocked() {
        return engine.isBlocked();
    }

    @Override
    public @Nullable ReceptionFifoProducer lane(int rank, int context) {
        return areRecordsStaged ? null : engine.lane(rank, context);
    }

    @Override
    public DirectExecution direct() {
        return engine.direct(exclusion(), this::failed);
    }

    @Override
    public Exclusion exclusion() {
        return isShared ? this : Exclusion.NONE;
    }

    @Override
    public void arrived(int rank, int context) {
        if (!isShared) {
            engine.arrived(rank, context);
            return;
        }
        begin();
        try {
            engine.arrived(rank, context);
        } finally {
            end();
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

    /** Disables passes. None is in progress when this returns. */
    void stop() {
        running = false;
        if (isShared) {
            begin();
        }
        end();
    }

    /** Ends the engine after its last pass, so that closing peers no longer wait for it. */
    void ended() {
        engine.ended();
    }

    String name() {
        return engine.roleName();
    }
}
