package org.segno.demo.comparison;

import java.util.concurrent.Callable;
import org.segno.demo.rank.RankProgram;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import picocli.CommandLine.Mixin;

/** Program of each rank of a demo with three modes. It joins the job of its environment, or runs alone without one. */
public abstract class ComparisonRank implements Callable<Integer> {
    @Mixin
    private final ComparisonOptions options;

    /** Creates the program with the demo's options. */
    protected ComparisonRank(ComparisonOptions options) {
        this.options = options;
    }

    @Override
    public final Integer call() {
        final JobConfig job = JobConfig.fromEnvironment();
        options.check(job.size());
        final DemoWorkload workload = options.workload(job.rank(), job.size());
        final long windowBytes =
                workload.windowBytes() + Measurement.windowBytes(job.size(), options.phases(), options.iterations());
        final ComparisonReport report;
        try (Node node = RankProgram.join(job, workload.nodeConfig().withWindowBytes(windowBytes))) {
            report = new Measurement(node, options.iterations())
                    .run(options.program(), workload.title(), options.virtualRanks(), workload.open(node));
        }
        return job.rank() == 0 ? RankProgram.print(report, options.format()) : RankProgram.DONE;
    }
}
