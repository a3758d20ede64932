package org.segno.demo;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.segno.demo.cg.CgCommand;
import org.segno.demo.fourier.FourierCommand;
import org.segno.demo.kmeans.KmeansCommand;
import org.segno.demo.neighbours.HaloCommand;
import org.segno.demo.spikes.SpikesCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code segno demo}: one demo by its name, or the exchange with neighbours and the spikes on two ranks, a few
 * seconds together.
 */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        subcommands = {
            CgCommand.class,
            FourierCommand.class,
            HaloCommand.class,
            KmeansCommand.class,
            SpikesCommand.class
        },
        synopsisHeading = "Usage: ",
        customSynopsis = {"segno demo", "       segno demo cg|fft3d|halo4d|kmeans|spikes [-n N] [options]"},
        description = {
            "Run a real program on Segno and check its result.",
            "Without a name: halo4d, then spikes, each on " + DemoCommand.RANKS + " ranks."
        },
        footer = {"", "'segno demo NAME --help' lists the options."})
public final class DemoCommand implements Callable<Integer> {
    /** Ranks of the demos that run without a name. */
    public static final int RANKS = 2;

    /** Iterations in each mode: a few seconds. */
    private static final int ITERATIONS = 200;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** For picocli. */
    public DemoCommand() {}

    @Override
    public Integer call() {
        final int exchange = run("halo4d");
        return exchange == CommandLine.ExitCode.OK ? run("spikes") : exchange;
    }

    /** Runs a demo as if it had been named; returns its exit code. */
    private int run(String name) {
        return Objects.requireNonNull(spec.subcommands().get(name), name)
                .execute("-n", "" + RANKS, "--iterations", "" + ITERATIONS);
    }
}
