package org.segno.demo.cg;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.demo.matrix.MatrixSource;
import org.segno.demo.rank.RankProgram;
import org.segno.demo.solver.SolveProgress;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.RankMain;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Main class of each rank of the demo. A process joins the job of its environment, or runs alone without one; a thread
 * of a process with all ranks joins its job. Each solves its part.
 */
@Command(name = "cg-rank", description = "One rank of 'segno demo cg'.")
public final class CgRank implements Callable<Integer>, RankMain {
    @Mixin
    private final CgOptions options = new CgOptions();

    @Option(names = "--progress", description = "show progress on standard error")
    private boolean progress;

    /** The job of a rank that is a thread; null for a process. */
    private @Nullable JobConfig threadJob;

    private CgRank() {}

    /** Runs one rank and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(RankProgram.execute(new CgRank(), arguments));
    }

    @Override
    public void run(JobConfig job, String[] arguments) {
        threadJob = job;
        RankProgram.executeAsThread(this, arguments);
    }

    @Override
    public Integer call() throws IOException {
        options.check();
        final JobConfig thread = threadJob;
        final JobConfig job = thread == null ? JobConfig.fromEnvironment() : thread;
        final MatrixSource source = options.source();
        final RankSolve solve = RankSolve.of(source, job.rank(), job.size());
        solve.repeatBeforeTiming(options.warmUp());
        final int maxIterations = options.maxIterations(source);
        final ProgressLine line = new ProgressLine(RankProgram.standardError(), System.nanoTime());
        final CgReport report;
        try (Node node = RankProgram.join(job, NodeConfig.defaults().withWindowBytes(solve.windowBytes()))) {
            report = solve.run(
                    node, options.tolerance(), maxIterations, progress && solve.reports() ? line : SolveProgress.NONE);
        } finally {
            line.erase();
        }
        return solve.reports()
                ? RankProgram.print(
                        report.withReference(options.tolerance(), maxIterations), options.format(), thread != null)
                : RankProgram.DONE;
    }
}
