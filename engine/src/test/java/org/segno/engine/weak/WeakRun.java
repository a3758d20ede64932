package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runner that executes a program once per seed, and once more with a store made early. */
final class WeakRun implements AutoCloseable {
    private static final long HOIST_CHANCE = 0x5EED;

    private final ExecutorService workers = Executors.newCachedThreadPool();

    /** Program to run: returns the bodies of its threads, over a model of its own. */
    interface Program extends Function<WeakModel, List<Runnable>> {}

    /** Returns a forbidden outcome that was seen under a seed, or null. */
    @Nullable
    String violation(long seed, Orderings orderings, Program program) {
        final WeakModel first = new WeakModel(seed, orderings, null);
        first.run(workers, program.apply(first));
        if (!first.violations().isEmpty()) {
            return "seed " + seed + ": " + first.violations();
        }
        final EarlyStore hoist = first.chooseHoist(new SplittableRandom(seed ^ HOIST_CHANCE));
        if (hoist == null) {
            return null;
        }
        final WeakModel second = new WeakModel(seed, orderings, hoist);
        second.run(workers, program.apply(second));
        return second.violations().isEmpty() ? null : "seed " + seed + ": " + second.violations() + " with " + hoist;
    }

    @Override
    public void close() {
        workers.shutdown();
    }
}
