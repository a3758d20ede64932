package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.locks.LockSupport;

/**
 * Scheduler of logical threads: runs one at a time and switches between them at accesses to memory, by a seed. They are
 * real threads, so that the code under test can be stopped anywhere, but the seed alone sets the order.
 */
final class Interleaving {
    private static final int MAIN = -1;
    private static final int LONG_REST = 5000;
    private static final int SHORT_REST = 300;
    private static final int[] MEAN_BUDGETS = {15, 50, 150, 500};

    private final SplittableRandom chance;
    private final int meanBudget;
    private final long stepLimit;
    private final Thread[] threads;
    private final boolean[] ended;
    private final Thread main = Thread.currentThread();
    private volatile int turn = MAIN;
    private int current;
    private int living;
    private int budget;
    private long steps;
    private int resting = MAIN;
    private long restEnd;
    private boolean isEnding;

    /** Thrown in the threads of a run that is to end. */
    static final class EndedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        EndedException() {
            super(null, null, false, false);
        }
    }

    /** Thrown in the thread that finds that a run makes no progress. */
    static final class StuckException extends RuntimeException {
        private static final long serialVersionUID = 1;

        StuckException(long steps) {
            super("no end after " + steps + " accesses, the last half of them on calm memory: something was lost");
        }
    }

    Interleaving(SplittableRandom chance, int threads, long stepLimit) {
        this.chance = chance;
        this.meanBudget = MEAN_BUDGETS[chance.nextInt(MEAN_BUDGETS.length)];
        this.stepLimit = stepLimit;
        this.threads = new Thread[threads];
        this.ended = new boolean[threads];
    }

    /** Runs all bodies to their ends, or until no thread can make progress. */
    void run(ExecutorService workers, List<Runnable> bodies) {
        living = bodies.size();
        for (int i = 0; i < bodies.size(); i++) {
            final int index = i;
            workers.execute(() -> body(index, bodies.get(index)));
        }
        while (readyCount() != bodies.size()) {
            LockSupport.park(this);
        }
        refill();
        switchTo(chance.nextInt(bodies.size()));
        awaitTurn(MAIN);
    }

    private synchronized int readyCount() {
        int count = 0;
        for (final Thread thread : threads) {
            count += thread == null ? 0 : 1;
        }
        return count;
    }

    private synchronized void ready(int index) {
        threads[index] = Thread.currentThread();
    }

    private void body(int index, Runnable body) {
        ready(index);
        LockSupport.unpark(main);
        awaitTurn(index);
        body.run();
        ended[index] = true;
        living--;
        switchTo(living == 0 ? MAIN : other(index));
    }

    /** Returns the running thread. */
    int current() {
        return current;
    }

    /** Switches threads by chance; called before each access of the current thread. */
    void step() {
        requireRunning();
        if (++steps > stepLimit) {
            isEnding = true;
            throw new StuckException(steps);
        }
        if (--budget < 0) {
            refill();
            switchThread();
        }
    }

    /** Switches to another thread, because the current one has nothing to do. */
    void pause() {
        refill();
        switchThread();
    }

    /** Suspends the current thread for a while, long enough for the others to see and to use its stores. */
    void rest() {
        resting = current;
        restEnd = steps + chance.nextInt(chance.nextBoolean() ? LONG_REST : SHORT_REST);
        pause();
    }

    /** Ends the run: every thread at its next access. */
    void end() {
        isEnding = true;
    }

    private void requireRunning() {
        if (isEnding) {
            throw new EndedException();
        }
    }

    /**
     * Returns true when a run is so long that memory should be calm, because no run may depend on its disorder to end.
     */
    boolean isLate() {
        return steps > stepLimit / 2;
    }

    private void refill() {
        budget = chance.nextInt(2 * meanBudget);
    }

    private void switchThread() {
        if (living > 1) {
            final int from = current;
            final int next = other(from);
            if (next == from) {
                return;
            }
            switchTo(next);
            awaitTurn(from);
            requireRunning();
        }
    }

    private int other(int from) {
        int next;
        do {
            next = chance.nextInt(ended.length);
        } while (ended[next] || next == from);
        if (next == resting && steps < restEnd && !ended[from]) {
            return from;
        }
        return next;
    }

    private void switchTo(int next) {
        if (next == MAIN) {
            turn = MAIN;
            LockSupport.unpark(main);
        } else {
            current = next;
            turn = next;
            LockSupport.unpark(threads[next]);
        }
    }

    private void awaitTurn(int index) {
        while (turn != index) {
            LockSupport.park(this);
        }
    }
}
