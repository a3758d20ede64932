package org.segno.simulator;

import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.segno.status.StatusAccess;

/**
 * Simulated program with calls that block, as those of a geometry do. It has a thread of its own. That thread and the
 * thread of the simulation run in turns, never both at once, so that the simulation remains deterministic. The program
 * runs within {@link #step}, until it pauses: at the latest when a wait finds nothing to do.
 */
final class WaitingProgram implements SimulatedProgram {
    private final Runnable body;
    private final Runnable stopping;
    private final LongSupplier clock;
    private final Turns turns = new Turns(this);
    private final Semaphore resumed = new Semaphore(0);
    private final Semaphore paused = new Semaphore(0);

    // Written by the thread that runs, and read by the other one after it has acquired a semaphore.
    private boolean isStarted;
    private boolean isDone;
    private boolean isAbandoned;
    private boolean hasWorked;
    private @Nullable Throwable failure;

    /**
     * Creates a program.
     *
     * @param name of its thread
     * @param body the program
     * @param stopping ends the beginning of operations; called by the thread of the simulation
     * @param clock returns the virtual time
     */
    WaitingProgram(String name, Runnable body, Runnable stopping, LongSupplier clock) {
        this.body = body;
        this.stopping = stopping;
        this.clock = clock;
        turns.setName(name);
        turns.setDaemon(true);
    }

    /** The thread of a program. */
    private static final class Turns extends Thread {
        private final WaitingProgram program;

        Turns(WaitingProgram program) {
            this.program = program;
        }

        @Override
        public void run() {
            program.run();
        }
    }

    /** Ends a program that was abandoned. */
    private static final class AbandonedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        AbandonedException() {
            super("the simulation has ended", null, false, false);
        }
    }

    /** Returns the program of the calling thread; null on the thread of a simulation. */
    static @Nullable WaitingProgram current() {
        return Thread.currentThread() instanceof Turns own ? own.program : null;
    }

    private void run() {
        resumed.acquireUninterruptibly();
        StatusAccess.useClock(clock);
        try {
            if (!isAbandoned) {
                body.run();
            }
        } catch (final AbandonedException e) {
            // Nobody waits for it any more.
        } catch (final RuntimeException | AssertionError e) {
            failure = isAbandoned ? null : e;
        } finally {
            StatusAccess.useClock(null);
            isDone = true;
            paused.release();
        }
    }

    /** Ends the present step. Called by the program's thread. Returns in the next step. */
    void pause() {
        paused.release();
        resumed.acquireUninterruptibly();
        if (isAbandoned) {
            throw new AbandonedException();
        }
    }

    /** Records that the present step makes progress. Called by the program's thread. */
    void worked() {
        hasWorked = true;
    }

    @Override
    public boolean step() {
        if (!isStarted) {
            isStarted = true;
            turns.start();
        }
        hasWorked = false;
        resume();
        final Throwable thrown = failure;
        if (thrown instanceof AssertionError error) {
            throw error;
        }
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
        return hasWorked;
    }

    private void resume() {
        resumed.release();
        paused.acquireUninterruptibly();
    }

    @Override
    public void stop() {
        stopping.run();
    }

    @Override
    public boolean isDone() {
        return isDone;
    }

    /** Ends the thread, if the program has not ended: its node has crashed, or the simulation has failed. */
    @Override
    public void end() {
        isAbandoned = true;
        while (isStarted && !isDone) {
            resume();
        }
    }
}
