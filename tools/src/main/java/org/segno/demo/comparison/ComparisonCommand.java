package org.segno.demo.comparison;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Program;
import org.segno.tools.run.RunOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command that starts the ranks of a demo with three modes. */
public abstract class ComparisonCommand implements Callable<Integer> {
    private final Class<? extends ComparisonRank> rank;

    @Option(
            names = {"-n", "-np", "--np"},
            paramLabel = "N",
            description = "ranks; default 4, or the slots of --host")
    private @Nullable Integer givenRankCount;

    @Mixin
    private final ComparisonOptions options;

    @Mixin
    private final RunOptions runOptions = new RunOptions();

    /**
     * Creates a command. Picocli sets its options.
     *
     * @param rank main class of each rank
     * @param options options of the demo
     */
    protected ComparisonCommand(Class<? extends ComparisonRank> rank, ComparisonOptions options) {
        this.rank = rank;
        this.options = options;
    }

    @Override
    public final Integer call() throws InterruptedException {
        final int rankCount = runOptions.demoRankCount(givenRankCount);
        options.check(rankCount);
        return runOptions.launchJoining(
                rankCount,
                Program.main(ClassPath.ofSegno(), rank.getName(), options.toArguments())
                        .named(options.program()));
    }
}
