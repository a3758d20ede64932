package org.segno.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.segno.bench.experiment.Cores;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;

/**
 * One of the two worker processes. It opens its end of every experiment, warms up, then measures slice by slice in lock
 * step with the other.
 *
 * <p>The steps follow from the plan alone, so both workers do the same without further communication.
 */
public final class Worker implements AutoCloseable {
    /** Operations in a short slice of the warm-up: enough to execute every branch of the timing. */
    private static final int SHORT_SLICE = 48;

    /** Short slices of the warm-up that correspond to a millisecond of the rounds after it. */
    private static final int SHORT_SLICES_PER_MS = 10;

    /** Limit of an experiment's warm-up. An experiment with long operations has executed its branches often by then. */
    private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(700);

    /** Settling rounds in which neither process may compile anything, and factor of their maximum number. */
    private static final int QUIET_ROUNDS = 3;

    private static final int SETTLING_FACTOR = 10;
    private static final long SETTLING_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int SETTLING_PAUSES = 200;
    private static final long SETTLED_MS = 2;
    private static final int OPERATION_LIMIT = 50_000_000;

    /** Index of the first argument of the plan. */
    private static final int PLAN = 4;

    private final Role role;
    private final RunPlan plan;
    private final List<Experiment> experiments;
    private final Turns turns;
    private final ControlBlock control;
    private final LockStep lockStep;
    private final Probe probe;
    private final SliceLog log;
    private final List<Side> sides = new ArrayList<>();
    private final int[] operations;
    private final SliceFigures figures = new SliceFigures();

    private Worker(Role role, Path directory, Turns turns, RunPlan plan, List<Experiment> experiments)
            throws IOException {
        this.role = role;
        this.turns = turns;
        this.plan = plan;
        this.experiments = plan.select(experiments);
        this.control = ControlBlock.open(directory);
        this.lockStep = new LockStep(control, role);
        this.probe = new Probe(role, control.probeLine());
        this.log = SliceLog.open(directory);
        this.operations = new int[this.experiments.size()];
        Arrays.fill(operations, 1);
    }

    /**
     * Runs a worker with the arguments of {@link #arguments}.
     *
     * @param experiments the catalogue, the same as the parent's
     */
    public static void run(List<String> arguments, List<Experiment> experiments) throws IOException {
        final Role role = Role.valueOf(arguments.get(0));
        final Path directory = Path.of(arguments.get(1));
        ParentWatch.hold(directory);
        final int part = Integer.parseInt(arguments.get(2));
        final Turns turns = Turns.open(directory, part, Integer.parseInt(arguments.get(3)));
        final RunPlan plan = RunPlan.fromArguments(arguments.subList(PLAN, arguments.size()));
        turns.await(0);
        final Path own = directoryOf(directory, part);
        try (Worker worker = new Worker(role, own, turns, plan, experiments)) {
            worker.open(own);
            worker.warmUp();
            worker.endTurn();
            worker.measure();
        }
    }

    /**
     * Returns the arguments of a worker.
     *
     * @param directory directory of the run
     * @param part number of the worker's part, from zero on
     * @param parts number of parts of the run
     */
    static List<String> arguments(Role role, Path directory, int part, int parts, RunPlan plan) {
        final List<String> arguments = new ArrayList<>(
                List.of(role.name(), directory.toString(), Integer.toString(part), Integer.toString(parts)));
        arguments.addAll(plan.toArguments());
        return arguments;
    }

    /** Returns the directory of a part of a run. Short, because paths of sockets below it are limited. */
    static Path directoryOf(Path directory, int part) {
        return directory.resolve("part-" + part);
    }

    private void endTurn() {
        lockStep.meet();
        if (role == Role.ORIGIN) {
            turns.pass();
        }
    }

    private void open(Path directory) throws IOException {
        control.experiment(role, -1);
        for (int i = 0; i < experiments.size(); i++) {
            control.experiment(role, i);
            final Path own = directory.resolve(Integer.toString(i));
            Files.createDirectories(own);
            sides.add(experiments.get(i).opener().open(role, own));
            lockStep.meet();
        }
    }

    /**
     * Warms up: first thousands of short slices, so that methods and not only their loops are compiled; then rounds of
     * full slices until neither process has compiled anything in several rounds.
     */
    private void warmUp() {
        for (int i = 0; i < experiments.size(); i++) {
            control.experiment(role, i);
            sides.get(i).enter();
            warmUp(i);
            sides.get(i).leave();
        }
        probe.takeNs();
        final int quietRounds = quietRounds();
        long before = awaitJit();
        int quiet = 0;
        for (int round = 0; round < SETTLING_FACTOR * quietRounds && quiet < quietRounds; round++) {
            for (int i = 0; i < experiments.size(); i++) {
                visit(i, 1, false);
            }
            long after = compiledByBothMs();
            final boolean isQuiet = after - before <= SETTLED_MS;
            if (!isQuiet) {
                after = awaitJit();
            }
            quiet = isQuiet ? quiet + 1 : 0;
            before = after;
        }
    }

    /** Returns the number of settling rounds, which last as long as the short slices of an experiment at least. */
    private int quietRounds() {
        final long roundMs = (long) experiments.size() * plan.sliceMs();
        return (int) Math.max(QUIET_ROUNDS, plan.warmUpCalls() / SHORT_SLICES_PER_MS / roundMs);
    }

    /**
     * Leaves the cores to the JITs, which have only these two, until neither has compiled anything for two pauses. With
     * all experiments, the queue of one would otherwise be as long as the run. Returns the time of both.
     */
    private long awaitJit() {
        long before = compiledByBothMs();
        int quiet = 0;
        for (int pause = 0; pause < SETTLING_PAUSES && quiet < 2; pause++) {
            LockSupport.parkNanos(SETTLING_PAUSE_NS);
            final long after = compiledByBothMs();
            quiet = after - before <= SETTLED_MS ? quiet + 1 : 0;
            before = after;
        }
        return before;
    }

    private void warmUp(int index) {
        final long beginNs = System.nanoTime();
        for (int call = 0; call < plan.warmUpCalls(); call++) {
            if (role == Role.ORIGIN) {
                final boolean late = System.nanoTime() - beginNs > WARM_UP_NS;
                control.operations(late ? 0 : Math.max(1, Math.min(SHORT_SLICE, operations[index])));
            }
            lockStep.meet();
            final int count = control.operations();
            lockStep.meet();
            if (count == 0) {
                return;
            }
            timedSlice(index, count);
        }
    }

    private void measure() {
        long measuredNs = 0;
        long waitedNs = 0;
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            turns.await(1 + repetition);
            final long beginNs = System.nanoTime();
            final long waitedBeforeNs = Cores.waitedNs();
            for (int i = 0; i < experiments.size(); i++) {
                visit(i, plan.slices(), true);
            }
            measuredNs += System.nanoTime() - beginNs;
            waitedNs += Cores.waitedNs() - waitedBeforeNs;
            control.waited(role, waitedNs / (double) measuredNs);
            endTurn();
        }
        // Not while others are measured: the end of the experiments takes time.
        turns.awaitAll(1 + plan.repetitions());
    }

    private void visit(int index, int slices, boolean counted) {
        control.experiment(role, index);
        final Side side = sides.get(index);
        side.enter();
        lockStep.meet();
        double beforeNs = probe.takeNs();
        for (int i = 0; i < slices; i++) {
            if (role == Role.ORIGIN) {
                control.operations(operations[index]);
            }
            lockStep.meet();
            timedSlice(index, control.operations());
            lockStep.meet();
            final double afterNs = probe.takeNs();
            if (counted && role == Role.ORIGIN) {
                log.append(index, beforeNs, afterNs, figures);
            }
            beforeNs = afterNs;
        }
        side.leave();
    }

    /** Runs a slice and computes the number of operations that makes the next one as long as planned. */
    private void timedSlice(int index, int count) {
        final long beginNs = System.nanoTime();
        sides.get(index).slice(count, figures);
        final long tookNs = Math.max(1, System.nanoTime() - beginNs);
        final double wanted = (double) count * TimeUnit.MILLISECONDS.toNanos(plan.sliceMs()) / tookNs;
        operations[index] = (int) Math.max(1, Math.min(OPERATION_LIMIT, wanted));
    }

    private long compiledByBothMs() {
        control.compiledMs(role, JitTime.takenMs());
        lockStep.meet();
        final long sumMs = control.compiledMs(role) + control.compiledMs(role.other());
        lockStep.meet();
        return sumMs;
    }

    @Override
    public void close() {
        sides.forEach(Side::close);
    }
}
