package org.segno.tools.simulate;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.segno.simulator.PlanReduction;
import org.segno.simulator.Simulation;
import org.segno.simulator.SimulationPlan;
import org.segno.simulator.SimulationPlan.Bounds;
import org.segno.simulator.SimulationResult;
import org.segno.simulator.Workload;
import org.segno.tools.command.ByteCountConverter;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.DurationConverter;
import org.segno.tools.command.ExitCode;
import org.segno.tools.output.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code segno sim} command. It simulates jobs by seed, checks them, and reduces a seed that fails. */
@Command(
        name = "sim",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        synopsisHeading = "Usage: ",
        description =
                "Simulate a job in virtual time: same seed, same events. Every message, byte and counter is checked.",
        footer = {
            "",
            "FAULTS: swarm, which draws the kinds for each seed; none; or a list of slow,",
            "clog, stall, cut, pause, crash, late, reorder, small, wrap. CHECKS: a list of",
            "order, delivery, counter. In both, ^NAME excludes. The seeds are simulated on",
            "all cores; the result does not depend on their number. Exit code: 0; 1 when a",
            "check failed, with the command that repeats it for a reduced job."
        })
public final class SimCommand implements Callable<Integer> {
    /** Limit of the simulations of a reduction. */
    private static final int REDUCTION_RUNS = 100;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--nodes", paramLabel = "N", required = true, description = "nodes of the job, 1 to 256")
    private int nodes;

    @Option(
            names = "--workload",
            paramLabel = "W",
            defaultValue = "mixed",
            description = "mixed, hotspot, collectives or algorithms, default ${DEFAULT-VALUE}")
    private Workload workload = Workload.MIXED;

    @Option(
            names = "--operations",
            paramLabel = "N",
            defaultValue = "2000",
            description = "operations of all nodes together, default ${DEFAULT-VALUE}")
    private int operations;

    @Option(
            names = "--until",
            paramLabel = "T",
            converter = DurationConverter.class,
            description = "begin no operation after T of virtual time, as in 500us; default: no limit")
    private @Nullable Duration until;

    @Option(
            names = "--size",
            paramLabel = "S",
            defaultValue = "1k",
            converter = ByteCountConverter.class,
            description = "longest payload, 1 byte to 1k, default ${DEFAULT-VALUE}")
    private long size;

    @Option(
            names = "--fifo-slots",
            paramLabel = "N",
            description =
                    "descriptors of each injection FIFO, a power of two from 2 to 1024; default: the seed draws it")
    private @Nullable Integer fifoSlots;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "the seed, default ${DEFAULT-VALUE}")
    private long seed;

    @Option(
            names = "--seeds",
            paramLabel = "A..B",
            converter = SeedRange.Converter.class,
            description = "all seeds from A to B, instead of --seed")
    private @Nullable SeedRange seeds;

    @Option(
            names = "--faults",
            paramLabel = "FAULTS",
            defaultValue = "none",
            converter = FaultChoice.Converter.class,
            description = "kinds of faults, default ${DEFAULT-VALUE}")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private FaultChoice faults;

    @Option(
            names = "--check",
            paramLabel = "CHECKS",
            defaultValue = "order,delivery,counter",
            converter = CheckChoice.Converter.class,
            description = "checks that count, default ${DEFAULT-VALUE}")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CheckChoice checks;

    @Option(names = "--trace", paramLabel = "F", description = "write the events of the seed to F, for Perfetto")
    private @Nullable Path trace;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "table",
            description = "table, csv, json or ndjson, default ${DEFAULT-VALUE}")
    private Format format = Format.TABLE;

    /** Creates the command. Called by picocli. */
    public SimCommand() {}

    @Override
    public Integer call() {
        final SeedRange range = range();
        final PlanChoice plans = new PlanChoice(nodes, operations, workload, faults, bounds(), checks);
        if (nodes < 1 || nodes > SimulationPlan.MAX_NODES || operations < 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--nodes must be 1 to " + SimulationPlan.MAX_NODES + ", and --operations not negative: --nodes "
                            + nodes + " --operations " + operations);
        }
        final SimReport report = new SimReport(plans, range, format);
        final long startNs = System.nanoTime();
        if (trace == null) {
            sweep(plans, range, report);
        } else {
            report.accept(traced(plans, range.first(), trace));
        }
        report.ended(System.nanoTime() - startNs);
        final SimulationResult failure = report.firstFailure();
        if (failure != null) {
            report.reduced(reduced(failure.plan()));
        }
        report.print(spec.commandLine().getOut(), Console.of(spec));
        return failure == null ? ExitCode.DONE : ExitCode.NEGATIVE_RESULT;
    }

    private Bounds bounds() {
        try {
            return new Bounds(
                    until == null ? Bounds.USUAL.untilNs() : until.toNanos(),
                    (int) Math.min(size, Integer.MAX_VALUE),
                    fifoSlots == null ? Bounds.USUAL.fifoSlots() : fifoSlots);
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--size or --fifo-slots: " + e.getMessage(), e);
        }
    }

    private SeedRange range() {
        final boolean isSeedGiven = spec.commandLine().getParseResult().hasMatchedOption("--seed");
        final boolean isRangeGiven = spec.commandLine().getParseResult().hasMatchedOption("--seeds");
        if (isSeedGiven && isRangeGiven) {
            throw new ParameterException(spec.commandLine(), "--seed and --seeds exclude each other");
        }
        final SeedRange range = seeds == null || isSeedGiven ? SeedRange.of(seed) : seeds;
        if (trace != null && range.count() > 1) {
            throw new ParameterException(spec.commandLine(), "--trace needs one seed, not " + range + ": use --seed");
        }
        return range;
    }

    private void sweep(PlanChoice plans, SeedRange range, Consumer<SimulationResult> report) {
        final int threads = (int) Math.min(Runtime.getRuntime().availableProcessors(), range.count());
        final SweepProgress progress = new SweepProgress(range, Console.of(spec));
        new SeedSweep(plans, threads).run(range, result -> {
            report.accept(result);
            progress.simulated();
        });
    }

    private static SimulationResult traced(PlanChoice plans, long seed, Path file) {
        final SimulationPlan plan = plans.plan(seed);
        try {
            final ChromeTrace events = ChromeTrace.open(file, plan.nodes(), plans.command(plan));
            final SimulationResult result = Simulation.run(plan, events);
            events.end();
            return result;
        } catch (final IOException e) {
            throw new CommandException(
                    ExitCode.NOT_FIT, "cannot write the trace: " + e + "; name a file that can be written by --trace");
        }
    }

    /** Returns the result of the smallest plan with a defect that is found from a failed one. */
    private SimulationResult reduced(SimulationPlan failed) {
        Console.of(spec).detail("reducing seed " + failed.seed());
        return Simulation.run(PlanReduction.reduce(
                failed, plan -> !checks.defects(Simulation.run(plan)).isEmpty(), REDUCTION_RUNS));
    }
}
