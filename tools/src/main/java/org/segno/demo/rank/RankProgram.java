package org.segno.demo.rank;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.status.SegnoException;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.command.StandardOutput;
import org.segno.tools.run.plan.JobRoom;
import picocli.CommandLine;

/**
 * Process of a demo's rank, from its arguments to its exit code.
 *
 * <p>Only rank 0 prints, and only rank 0 exits with {@link ExitCode#NEGATIVE_RESULT}. If another rank exited with it
 * before rank 0 has printed, the launcher would end rank 0.
 */
public final class RankProgram {
    /** Exit code of a rank that has ended as expected. */
    public static final int DONE = ExitCode.DONE;

    private RankProgram() {}

    /** Runs one rank, a picocli command. Returns the exit code of its process. */
    public static int execute(Callable<Integer> rank, String[] arguments) {
        try {
            return new CommandLine(rank)
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure))
                    .execute(arguments);
        } catch (final OutOfMemoryError e) {
            standardError().println("segno: " + CommandException.outOfMemory(e).getMessage());
            return ExitCode.NOT_FIT;
        }
    }

    /**
     * Runs one rank, a picocli command, in the calling thread. The first rank that does not end as expected ends the
     * process with its exit code, as the launcher ends the job of a process that fails.
     */
    public static void executeAsThread(Callable<Integer> rank, String[] arguments) {
        final int exitCode = execute(rank, arguments);
        if (exitCode != DONE) {
            System.exit(exitCode);
        }
    }

    /**
     * Joins the job.
     *
     * @throws CommandException if there is no room for its nodes
     */
    public static Node join(JobConfig job, NodeConfig config) {
        try {
            return Node.join(job, config);
        } catch (final SegnoException e) {
            final JobRoom room = JobRoom.of(job.directory().toFile(), job.localSize(), config.fileBytes(job.size()));
            // Subclasses of this exception come from waits. A program could handle a full file system, but the user of
            // a demo needs the remedy.
            throw e.getClass() == SegnoException.class && room.isFull() ? room.refusal() : e;
        }
    }

    /**
     * Prints the report. Returns the exit code.
     *
     * @param threaded true if the rank is a thread, whose standard output the process separates from that of others
     */
    public static int print(DemoReport report, ReportFormat format, boolean threaded) {
        final String problem = report.problem();
        if (problem != null) {
            standardError().println("segno: " + problem);
        }
        final String text = format == ReportFormat.JSON ? report.toJson() + "\n" : report.toText();
        try {
            if (threaded) {
                printAsThread(text);
            } else {
                try (StandardOutput output = StandardOutput.open()) {
                    output.write(text.getBytes(StandardCharsets.UTF_8));
                }
            }
        } catch (final IOException e) {
            throw StandardOutput.lost(e);
        }
        return problem == null ? DONE : ExitCode.NEGATIVE_RESULT;
    }

    private static void printAsThread(String text) throws IOException {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
        if (System.out.checkError()) {
            throw new IOException("standard output is closed or full");
        }
    }

    /** Returns the stream for messages, as opposed to data: that of the calling rank if the ranks are threads. */
    public static PrintStream standardError() {
        return new PrintStream(System.err, true, StandardCharsets.UTF_8);
    }

    private static int failed(Exception failure) throws Exception {
        if (failure instanceof CommandException expected) {
            standardError().println("segno: " + expected.getMessage());
            return expected.exitCode();
        }
        if (failure instanceof IOException
                || failure instanceof SegnoException
                || failure instanceof IllegalArgumentException) {
            standardError().println("segno: " + failure.getMessage());
            return ExitCode.NOT_FIT;
        }
        throw failure;
    }
}
