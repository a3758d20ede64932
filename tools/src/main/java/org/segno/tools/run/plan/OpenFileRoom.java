package org.segno.tools.run.plan;

import java.io.File;
import org.segno.status.OpenFiles;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.output.Quantity;

/**
 * The number of files that the launcher of a job opens, and the limit of open files.
 *
 * <p>The launcher checks this before it creates anything. At its limit it can neither remove the files that it has
 * created nor end a process, because the JDK opens files for both.
 *
 * @param ranks the number of ranks of the job
 * @param needed the number of files that are open now, plus those that the job needs
 * @param limit the limit of open files of this process
 */
public record OpenFileRoom(int ranks, long needed, long limit) {
    /** Selector, socket and directory of the hub, and the files that the start of a process opens for a moment. */
    private static final int FILES_PER_JOB = 16;

    /** Two pipes, the connection to the hub, and the file that is read for the state of the process. */
    private static final int FILES_PER_PROCESS = 4;

    private static final int STREAMS_PER_RANK = 2;

    /** Two pipes to the agent of another host, and the connection of its hub. */
    private static final int FILES_PER_HOST = 4;

    /**
     * Returns the files that a process opens which starts some ranks of a plan and connects to further hosts.
     *
     * @param processes the number of processes that it starts for ranks
     * @param hosts the number of other hosts
     */
    public static OpenFileRoom of(LaunchPlan plan, int processes, int hosts) {
        final String[] open = new File("/proc/self/fd").list();
        final long used = open == null ? 0 : open.length;
        // Ranks that are threads send their output over one connection per stream.
        final int streams =
                (plan.threaded() ? STREAMS_PER_RANK : 0) + (plan.output().hasFiles() ? STREAMS_PER_RANK : 0);
        final long needed = used
                + FILES_PER_JOB
                + (long) FILES_PER_PROCESS * processes
                + (long) FILES_PER_HOST * hosts
                + (long) streams * plan.rankCount();
        return new OpenFileRoom(plan.rankCount(), needed, OpenFiles.limit());
    }

    /**
     * Checks that the limit is high enough.
     *
     * @throws CommandException if it is not; the message contains both numbers and the remedy
     */
    public void check() {
        if (needed > limit) {
            throw new CommandException(
                    ExitCode.NOT_FIT,
                    "the launcher of " + Quantity.of(ranks, "rank") + " opens up to " + needed + " files; "
                            + OpenFiles.remedy());
        }
    }
}
