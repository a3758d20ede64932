package org.segno.demo.kmeans;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Program;
import org.segno.tools.run.RunOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code segno demo kmeans} command: clusters of points on several ranks. */
@Command(
        name = "kmeans",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Find clusters of points that are divided among the ranks.",
            "The root broadcasts the first centres, and a recorded allreduce adds all points",
            "of each centre up in every iteration. The result is compared with one process."
        },
        footer = {"", "Exit code: 0; 1 the check against one process failed."})
public final class KmeansCommand implements Callable<Integer> {
    @Option(
            names = {"-n", "-np", "--np"},
            paramLabel = "N",
            description = "ranks; default 4, or the slots of --host")
    private @Nullable Integer givenRankCount;

    @Mixin
    private final KmeansOptions options = new KmeansOptions();

    @Mixin
    private final RunOptions runOptions = new RunOptions();

    /** Creates the command. Called by picocli. */
    public KmeansCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        final int rankCount = runOptions.demoRankCount(givenRankCount);
        options.check();
        return runOptions.launchJoining(
                rankCount,
                Program.main(ClassPath.ofSegno(), KmeansRank.class.getName(), options.toArguments())
                        .named("kmeans"));
    }
}
