package org.segno.tools.run;

import java.io.File;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;
import org.segno.tools.output.Quantity;

/**
 * The room that a job's node files take, and what there is.
 *
 * @param parent the parent of job directories
 * @param ranks ranks of the job
 * @param nodeBytes bytes of each rank's node file, as far as they are known
 * @param leftBytes bytes that the file system has left
 */
public record JobRoom(File parent, int ranks, long nodeBytes, long leftBytes) {
    /** The room that there is now. */
    public static JobRoom of(File parent, int ranks, long nodeBytes) {
        return new JobRoom(parent, ranks, nodeBytes, parent.getUsableSpace());
    }

    /**
     * Demands room for all nodes.
     *
     * @throws CommandException when there is none; says what the job needs and what helps who has only a command line.
     */
    public void check() {
        if (isTooSmall()) {
            throw refusal();
        }
    }

    /** True when there is no room for all nodes: ranks that do not join have none. */
    public boolean isTooSmall() {
        return leftBytes < ranks * nodeBytes;
    }

    /** True when there is no room for one more node: what a rank that could not make its own looks at. */
    public boolean isFull() {
        return leftBytes < nodeBytes;
    }

    /** What {@link #check} throws. */
    public CommandException refusal() {
        final String each = ranks == 1 ? "" : " (" + Quantity.ofBytes(nodeBytes) + " for each)";
        return new CommandException(
                ExitCode.NOT_FIT,
                "no room in " + parent + " for " + Quantity.of(ranks, "rank") + ": at least "
                        + Quantity.ofBytes(ranks * nodeBytes) + " are needed" + each + ", "
                        + Quantity.ofBytes(leftBytes)
                        + " are left; use fewer ranks (-n) or a smaller problem, set SEGNO_DIR to a directory with more"
                        + " room, or enlarge this one (containers: --shm-size)");
    }
}
