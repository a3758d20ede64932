package org.segno.tools.simulate;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.segno.simulator.Simulation;
import org.segno.simulator.SimulationResult;

/** Simulations of several seeds on several threads, whose results arrive in the order of the seeds. */
final class SeedSweep {
    /** Simulations of each thread whose results wait for those of lower seeds. */
    private static final int AHEAD_LIMIT = 64;

    private final PlanChoice plans;
    private final int threads;

    SeedSweep(PlanChoice plans, int threads) {
        this.plans = plans;
        this.threads = threads;
    }

    /** Runs the simulations of a range. {@code sink} is called by this thread, once for each seed in their order. */
    void run(SeedRange seeds, Consumer<SimulationResult> sink) {
        final ExecutorService executor = Executors.newFixedThreadPool(threads, SeedSweep::thread);
        final Queue<Future<SimulationResult>> begun = new ArrayDeque<>();
        try {
            for (long index = 0; index < seeds.count(); index++) {
                final long seed = seeds.first() + index;
                begun.add(executor.submit(() -> Simulation.run(plans.plan(seed))));
                if (begun.size() == threads * AHEAD_LIMIT) {
                    sink.accept(result(begun.remove()));
                }
            }
            while (!begun.isEmpty()) {
                sink.accept(result(begun.remove()));
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private static Thread thread(Runnable work) {
        final Thread thread = new Thread(work, "simulation");
        thread.setDaemon(true);
        return thread;
    }

    private static SimulationResult result(Future<SimulationResult> future) {
        try {
            return future.get();
        } catch (final ExecutionException e) {
            throw new IllegalStateException("a simulation ended with an exception: " + e.getCause(), e.getCause());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted during a simulation", e);
        }
    }
}
