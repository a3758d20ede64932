package org.segno.tools.run.process;

import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import org.segno.tools.run.plan.LaunchPlan;

/**
 * The standard streams of a rank's process.
 *
 * @param input the source of standard input
 * @param piped true if standard output and error are pipes to this process, false if they are inherited
 * @param merged true if standard error is written to standard output
 */
public record ProcessStreams(Redirect input, boolean piped, boolean merged) {
    private static final Redirect NOTHING = Redirect.from(new File("/dev/null"));

    /** Returns the streams of a rank, or of the process of all ranks if they are threads, that a launcher starts. */
    public static ProcessStreams ofLauncher(LaunchPlan plan, int rank) {
        final boolean reads = plan.inputRank() == rank || (plan.threaded() && plan.inputRank() >= 0);
        // Ranks that are threads send their output, separated by rank, over a socket.
        final boolean piped = plan.captured() && !plan.threaded();
        return new ProcessStreams(
                reads ? Redirect.INHERIT : NOTHING, piped, plan.output().merge());
    }

    /** Returns the streams of a rank that the agent of another host starts. */
    public static ProcessStreams ofAgent(LaunchPlan plan, int rank) {
        return new ProcessStreams(
                plan.inputRank() == rank ? Redirect.PIPE : NOTHING,
                true,
                plan.output().merge());
    }

    /** Returns true if this process must write the rank's standard input. */
    public boolean isFed() {
        return input.type() == Redirect.Type.PIPE;
    }

    void apply(ProcessBuilder builder) {
        builder.redirectInput(input).redirectErrorStream(merged);
        if (!piped) {
            builder.redirectOutput(Redirect.INHERIT).redirectError(Redirect.INHERIT);
        }
    }
}
