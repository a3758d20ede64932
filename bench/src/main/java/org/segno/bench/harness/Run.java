package org.segno.bench.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.Role;

/**
 * Parent of a run. It starts the two workers, watches them, and reads their measurements.
 *
 * <p>Whatever ends the run, Ctrl-C included, the workers end and the directory is removed.
 */
public final class Run implements AutoCloseable {
    private static final long POLL_MS = 200;
    private static final long STUCK_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long KILL_GRACE_MS = 2_000;

    private final Path directory;
    private final RunPlan plan;
    private final List<Experiment> experiments;
    private final ControlBlock control;
    private final SliceLog log;
    private final Map<Role, Process> workers = new EnumMap<>(Role.class);
    private final Thread hook = new Thread(this::end, "bench-end");

    private Run(Path directory, RunPlan plan, List<Experiment> experiments) throws IOException {
        this.directory = directory;
        this.plan = plan;
        this.experiments = experiments;
        this.control = ControlBlock.make(directory);
        this.log = SliceLog.make(directory, experiments.size() * plan.repetitions() * plan.slices());
    }

    /**
     * Runs a plan, which takes several minutes with all experiments.
     *
     * @param mainClass main class of a worker, which passes its arguments to {@link Worker#run}
     * @param place cores and network of the workers
     * @param experiments experiments to run, already selected
     * @param progress listener of the progress; called on the calling thread
     * @return measurements of the workers
     * @throws IOException if a worker failed or made no progress, or there is no room, no second core, no {@code
     *     taskset}
     */
    public static Measured run(
            Class<?> mainClass, WorkerPlace place, RunPlan plan, List<Experiment> experiments, Progress progress)
            throws IOException, InterruptedException {
        if (place.cores().applications().size() < Role.values().length) {
            throw new IOException("two spinning processes need two cores, but this process may use only: "
                    + place.cores().applications());
        }
        try (Run run = make(plan, experiments)) {
            Runtime.getRuntime().addShutdownHook(run.hook);
            for (final Role role : Role.values()) {
                run.workers.put(role, WorkerProcess.start(mainClass, place, role, run.directory, plan));
            }
            run.watch(progress);
            return run.measured();
        }
    }

    private static Run make(RunPlan plan, List<Experiment> experiments) throws IOException {
        final Path directory = RunDirectory.make();
        try {
            return new Run(directory, plan, experiments);
        } catch (IOException | RuntimeException | Error e) {
            RunDirectory.delete(directory);
            throw e;
        }
    }

    /** Returns the options of the workers' JVMs. */
    public static List<String> workerOptions() {
        return WorkerProcess.JVM_OPTIONS;
    }

    private void watch(Progress progress) throws IOException, InterruptedException {
        long lastStep = -1;
        long movedNs = System.nanoTime();
        while (anyAlive()) {
            checkEnded();
            final long step = control.stepAcquire(Role.ORIGIN) + control.stepAcquire(Role.ECHO);
            if (step != lastStep) {
                lastStep = step;
                movedNs = System.nanoTime();
            } else if (System.nanoTime() - movedNs > STUCK_NS) {
                throw new IOException("the workers make no progress" + at(Role.ORIGIN) + at(Role.ECHO));
            }
            progress.at(log.count(), plan.repetitions() * plan.slices() * experiments.size());
        }
        checkEnded();
    }

    /** Waits briefly, so that a caller may call it in a loop. */
    private boolean anyAlive() throws InterruptedException {
        boolean alive = false;
        for (final Process worker : workers.values()) {
            alive |= !worker.waitFor(POLL_MS, TimeUnit.MILLISECONDS);
        }
        return alive;
    }

    private void checkEnded() throws IOException {
        for (final Map.Entry<Role, Process> entry : workers.entrySet()) {
            final Role role = entry.getKey();
            final Process worker = entry.getValue();
            if (!worker.isAlive() && worker.exitValue() != 0) {
                throw new IOException("worker " + role + " ended with " + worker.exitValue() + at(role));
            }
        }
    }

    private String at(Role role) {
        final int index = control.experiment(role);
        return ", " + role + " at "
                + (index < 0 || index >= experiments.size()
                        ? "start"
                        : experiments.get(index).name());
    }

    private Measured measured() {
        final List<Slice> slices = new ArrayList<>();
        for (int i = 0; i < log.count(); i++) {
            slices.add(log.slice(i, experiments.get(log.experiment(i)).metrics().size()));
        }
        return new Measured(slices, Math.max(control.waited(Role.ORIGIN), control.waited(Role.ECHO)));
    }

    /** Ends the workers and removes the directory. It may be repeated, also concurrently by the shutdown hook. */
    private synchronized void end() {
        for (final Process worker : workers.values()) {
            worker.destroyForcibly();
        }
        try {
            for (final Process worker : workers.values()) {
                worker.waitFor(KILL_GRACE_MS, TimeUnit.MILLISECONDS);
            }
            RunDirectory.delete(directory);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            System.err.println("bench: cannot remove " + directory + ": " + e);
        }
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is already shutting down, and the hook repeats the call.
        }
    }

    /** Listener of a run's progress. */
    @FunctionalInterface
    public interface Progress {
        /** Receives the progress a few times a second. {@code done} is zero while the workers warm up. */
        void at(int done, int all);
    }
}
