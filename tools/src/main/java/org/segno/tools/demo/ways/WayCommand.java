package org.segno.tools.demo.ways;

import java.util.concurrent.Callable;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Program;
import org.segno.tools.run.RunOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts the ranks of a demo that sends the same in three ways. */
public abstract class WayCommand implements Callable<Integer> {
    private final Class<? extends WayRank> rank;

    @Option(
            names = {"-n", "-np", "--np"},
            paramLabel = "N",
            defaultValue = "4",
            description = "ranks, default ${DEFAULT-VALUE}")
    private int rankCount;

    @Mixin
    private final WayOptions options;

    @Mixin
    private final RunOptions runOptions = new RunOptions();

    /**
     * A command that picocli fills.
     *
     * @param rank the program of each rank.
     * @param options the demo's own.
     */
    protected WayCommand(Class<? extends WayRank> rank, WayOptions options) {
        this.rank = rank;
        this.options = options;
    }

    @Override
    public final Integer call() throws InterruptedException {
        options.check(rankCount);
        return runOptions.launchJoining(
                rankCount,
                Program.main(ClassPath.ofSegno(), rank.getName(), options.toArguments())
                        .named(options.program()));
    }
}
