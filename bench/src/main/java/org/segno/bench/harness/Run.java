package org.segno.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.Role;

/**
 * Parent of a run. It starts the two workers of each part, watches them, and reads their measurements. The parts take
 * {@link Turns}.
 *
 * <p>Whatever ends the run, Ctrl-C included, the workers end and the directory is removed.
 */
public final class Run implements AutoCloseable {
    private static final long POLL_MS = 200;
    private static final long STUCK_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long KILL_GRACE_MS = 2_000;

    private final Path directory;
    private final RunPlan plan;
    private final List<Part> parts = new ArrayList<>();
    private final Thread hook = new Thread(this::end, "bench-end");

    private Run(Path directory, RunPlan plan, List<List<Experiment>> parts) throws IOException {
        this.directory = directory;
        this.plan = plan;
        Turns.make(directory);
        for (int i = 0; i < parts.size(); i++) {
            this.parts.add(Part.make(Files.createDirectory(Worker.directoryOf(directory, i)), plan, parts.get(i)));
        }
    }

    /** Experiments that have workers of their own. */
    private record Part(
            RunPlan plan,
            List<Experiment> experiments,
            ControlBlock control,
            SliceLog log,
            Map<Role, Process> workers) {
        static Part make(Path directory, RunPlan whole, List<Experiment> experiments) throws IOException {
            final RunPlan plan = whole.of(experiments);
            return new Part(
                    plan,
                    experiments,
                    ControlBlock.make(directory),
                    SliceLog.make(directory, experiments.size() * plan.repetitions() * plan.slices()),
                    new EnumMap<>(Role.class));
        }

        long steps() {
            return control.stepAcquire(Role.ORIGIN) + control.stepAcquire(Role.ECHO);
        }

        boolean isAlive() {
            return workers.values().stream().anyMatch(Process::isAlive);
        }

        String at(Role role) {
            final int index = control.experiment(role);
            return ", " + role + " at "
                    + (index < 0 || index >= experiments.size()
                            ? "start"
                            : experiments.get(index).name());
        }

        Measured measured() {
            final List<Slice> slices = new ArrayList<>();
            for (int i = 0; i < log.count(); i++) {
                slices.add(log.slice(
                        i, experiments.get(log.experiment(i)).metrics().size()));
            }
            return new Measured(slices, Math.max(control.waited(Role.ORIGIN), control.waited(Role.ECHO)));
        }
    }

    /**
     * Runs a plan, which takes several minutes with all experiments.
     *
     * @param mainClass main class of a worker, which passes its arguments to {@link Worker#run}
     * @param place cores and network of the workers
     * @param parts experiments to run, already selected; those of each part have two workers of their own
     * @param progress listener of the progress; called on the calling thread
     * @return measurements of the workers by part
     * @throws IOException if a worker failed or made no progress, or there is no room, no second core, no {@code
     *     taskset}
     */
    public static List<Measured> run(
            Class<?> mainClass, WorkerPlace place, RunPlan plan, List<List<Experiment>> parts, Progress progress)
            throws IOException, InterruptedException {
        if (place.cores().applications().size() < Role.values().length) {
            throw new IOException("two spinning processes need two cores, but this process may use only: "
                    + place.cores().applications());
        }
        try (Run run = make(plan, parts)) {
            Runtime.getRuntime().addShutdownHook(run.hook);
            run.start(mainClass, place);
            run.watch(progress);
            return run.parts.stream().map(Part::measured).toList();
        }
    }

    private static Run make(RunPlan plan, List<List<Experiment>> parts) throws IOException {
        final Path directory = RunDirectory.make();
        try {
            return new Run(directory, plan, parts);
        } catch (IOException | RuntimeException | Error e) {
            RunDirectory.delete(directory);
            throw e;
        }
    }

    private void start(Class<?> mainClass, WorkerPlace place) throws IOException {
        for (int i = 0; i < parts.size(); i++) {
            final Part part = parts.get(i);
            for (final Role role : Role.values()) {
                final List<String> arguments = Worker.arguments(role, directory, i, parts.size(), part.plan);
                part.workers.put(role, WorkerProcess.start(mainClass, place, role, arguments));
            }
        }
    }

    /** Returns the options of the workers' JVMs. */
    public static List<String> workerOptions() {
        return WorkerProcess.JVM_OPTIONS;
    }

    private void watch(Progress progress) throws IOException, InterruptedException {
        final int experiments =
                parts.stream().mapToInt(part -> part.experiments.size()).sum();
        long lastStep = -1;
        long movedNs = System.nanoTime();
        while (anyAlive()) {
            checkEnded();
            final long step = parts.stream().mapToLong(Part::steps).sum();
            if (step != lastStep) {
                lastStep = step;
                movedNs = System.nanoTime();
            } else if (System.nanoTime() - movedNs > STUCK_NS) {
                throw new IOException("the workers make no progress"
                        + parts.stream()
                                .filter(Part::isAlive)
                                .map(part -> part.at(Role.ORIGIN) + part.at(Role.ECHO))
                                .collect(Collectors.joining(";")));
            }
            progress.at(
                    parts.stream().mapToInt(part -> part.log.count()).sum(),
                    plan.repetitions() * plan.slices() * experiments);
        }
        checkEnded();
    }

    /** Waits briefly, so that a caller may call it in a loop. */
    private boolean anyAlive() throws InterruptedException {
        for (final Part part : parts) {
            for (final Process worker : part.workers.values()) {
                if (!worker.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
                    return true;
                }
            }
        }
        return false;
    }

    private void checkEnded() throws IOException {
        for (final Part part : parts) {
            for (final Map.Entry<Role, Process> entry : part.workers.entrySet()) {
                final Role role = entry.getKey();
                final Process worker = entry.getValue();
                if (!worker.isAlive() && worker.exitValue() != 0) {
                    throw new IOException("worker " + role + " ended with " + worker.exitValue() + part.at(role));
                }
            }
        }
    }

    /** Ends the workers and removes the directory. It may be repeated, also concurrently by the shutdown hook. */
    private synchronized void end() {
        final List<Process> workers =
                parts.stream().flatMap(part -> part.workers.values().stream()).toList();
        workers.forEach(Process::destroyForcibly);
        try {
            for (final Process worker : workers) {
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
