package org.segno.tools.demo.cg;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.segno.job.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.SegnoException;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;
import org.segno.tools.StandardOutput;
import org.segno.tools.demo.matrix.MatrixSource;
import org.segno.tools.demo.solver.Progress;
import org.segno.tools.run.JobRoom;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What each rank of the demo runs: joins the job of its environment, or stands alone without one, and solves its part.
 *
 * <p>Rank 0 alone prints, and alone answers with {@link ExitCode#ANSWER_IS_NO}: a rank that ended with it before rank 0 has printed would
 * have the launcher end rank 0.
 */
@Command(name = "cg-rank", description = "One rank of 'segno demo cg'.")
public final class CgRank implements Callable<Integer> {
    @Mixin
    private final CgOptions options = new CgOptions();

    @Option(names = "--progress", description = "show progress on standard error")
    private boolean progress;

    private CgRank() {}

    /** Runs one rank and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(execute(arguments));
    }

    private static int execute(String[] arguments) {
        try {
            return commandLine().execute(arguments);
        } catch (final OutOfMemoryError e) {
            stream(FileDescriptor.err)
                    .println("segno: " + CommandException.outOfMemory(e).getMessage());
            return ExitCode.NOT_FIT;
        }
    }

    private static CommandLine commandLine() {
        return new CommandLine(new CgRank())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure));
    }

    @Override
    public Integer call() throws IOException {
        options.check();
        final JobConfig job = JobConfig.fromEnvironment();
        final MatrixSource source = options.source();
        final RankSolve solve = RankSolve.of(source, job.rank(), job.size());
        final int maxIterations = options.maxIterations(source);
        final PrintStream standardError = stream(FileDescriptor.err);
        final ProgressLine line = new ProgressLine(standardError, System.nanoTime());
        final CgReport report;
        try (Node node = join(job, NodeConfig.defaults().withWindowBytes(solve.windowBytes()))) {
            report = solve.run(
                    node, options.tolerance(), maxIterations, progress && solve.reports() ? line : Progress.UNSEEN);
        } finally {
            line.erase();
        }
        return solve.reports() ? print(report.withReference(options.tolerance(), maxIterations)) : ExitCode.DONE;
    }

    private static Node join(JobConfig job, NodeConfig config) {
        try {
            return Node.join(job, config);
        } catch (final SegnoException e) {
            final JobRoom room = JobRoom.of(job.directory().toFile(), job.size(), config.fileBytes(job.size()));
            // Its kinds come from waits. What a program can do about a full file system, the user of a demo cannot.
            throw e.getClass() == SegnoException.class && room.isFull() ? room.refusal() : e;
        }
    }

    private int print(CgReport report) {
        final String problem = report.problem();
        if (problem != null) {
            stream(FileDescriptor.err).println("segno: " + problem);
        }
        final String text = options.format() == CgOptions.Format.JSON ? report.toJson() + "\n" : report.toText();
        try (StandardOutput output = StandardOutput.open()) {
            output.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (final IOException e) {
            throw StandardOutput.lost(e);
        }
        return problem == null ? ExitCode.DONE : ExitCode.ANSWER_IS_NO;
    }

    private static int failed(Exception failure) throws Exception {
        if (failure instanceof CommandException expected) {
            stream(FileDescriptor.err).println("segno: " + expected.getMessage());
            return expected.exitCode();
        }
        if (failure instanceof IOException
                || failure instanceof SegnoException
                || failure instanceof IllegalArgumentException) {
            stream(FileDescriptor.err).println("segno: " + failure.getMessage());
            return ExitCode.NOT_FIT;
        }
        throw failure;
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }
}
