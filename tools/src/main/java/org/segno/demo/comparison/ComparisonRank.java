package org.segno.demo.comparison;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.demo.rank.RankProgram;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.RankMain;
import picocli.CommandLine.Mixin;

/**
 * Program of each rank of a demo with three modes: a process that joins the job of its environment, or runs alone
 * without one; or a thread of a process with all ranks.
 */
public abstract class ComparisonRank implements Callable<Integer>, RankMain {
    @Mixin
    private final ComparisonOptions options;

    /** The job of a rank that is a thread; null for a process. */
    private @Nullable JobConfig threadJob;

    /** Creates the program with the demo's options. */
    protected ComparisonRank(ComparisonOptions options) {
        this.options = options;
    }

    @Override
    public final void run(JobConfig job, String[] arguments) {
        threadJob = job;
        RankProgram.executeAsThread(this, arguments);
    }

    @Override
    public final Integer call() {
        final JobConfig thread = threadJob;
        final JobConfig job = thread == null ? JobConfig.fromEnvironment() : thread;
        options.check(job.size());
        final DemoWorkload workload = options.workload(job.rank(), job.size());
        final long windowBytes =
                workload.windowBytes() + Measurement.windowBytes(job.size(), options.phases(), options.iterations());
        final ComparisonReport report;
        try (Node node = RankProgram.join(job, workload.nodeConfig().withWindowBytes(windowBytes))) {
            report = new Measurement(node, options.iterations())
                    .run(options.program(), workload.title(), options.virtualRanks(), workload.open(node));
        }
        return job.rank() == 0 ? RankProgram.print(report, options.format(), thread != null) : RankProgram.DONE;
    }
}
