package org.segno.tools.run;

import java.io.File;
import org.segno.status.OpenFiles;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;
import org.segno.tools.output.Quantity;

/**
 * The files that the launcher of a job opens, and how many it may.
 *
 * <p>Checked before anything is made: a launcher at its limit can neither remove what it has made nor end a process, because the
 * JDK opens files for both.
 *
 * @param ranks ranks of the job
 * @param needed files that are open now and those that the job needs
 * @param limit of open files of this process
 */
record OpenFileRoom(int ranks, long needed, long limit) {
    /** Selector, socket and directory of the hub, and what the start of a process opens for a moment. */
    private static final int FILES_PER_JOB = 16;

    /** Two pipes, the connection to the hub, and a look at its state. */
    private static final int FILES_PER_PROCESS = 4;

    private static final int STREAMS_PER_RANK = 2;

    static OpenFileRoom of(LaunchPlan plan) {
        final String[] open = new File("/proc/self/fd").list();
        final long used = open == null ? 0 : open.length;
        // Threads bring their output by a connection for each stream.
        final int streams =
                (plan.threaded() ? STREAMS_PER_RANK : 0) + (plan.output().hasFiles() ? STREAMS_PER_RANK : 0);
        final long needed = used
                + FILES_PER_JOB
                + (long) FILES_PER_PROCESS * plan.processCount()
                + (long) streams * plan.rankCount();
        return new OpenFileRoom(plan.rankCount(), needed, OpenFiles.limit());
    }

    /**
     * Checks that the limit is high enough.
     *
     * @throws CommandException when it is not, with both figures and the remedy
     */
    void check() {
        if (needed > limit) {
            throw new CommandException(
                    ExitCode.NOT_FIT,
                    "the launcher of " + Quantity.of(ranks, "rank") + " opens up to " + needed + " files; "
                            + OpenFiles.remedy());
        }
    }
}
