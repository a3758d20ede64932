package org.segno.tools.run.plan;

import java.io.File;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.output.Quantity;

/**
 * The room that a job's files need, and the room that is available.
 *
 * @param parent the parent of job directories
 * @param ranks the number of ranks of the job
 * @param nodeBytes the bytes of the files of each rank that can be computed in advance
 * @param leftBytes the bytes that are available in the file system
 */
public record JobRoom(File parent, int ranks, long nodeBytes, long leftBytes) {
    /** Returns the needed room with the room that is available now. */
    public static JobRoom of(File parent, int ranks, long nodeBytes) {
        return new JobRoom(parent, ranks, nodeBytes, parent.getUsableSpace());
    }

    /**
     * Checks that there is room for all nodes.
     *
     * @throws CommandException if there is not; its message contains the bytes that the job needs, and remedies that
     *     need nothing but the command line.
     */
    public void check() {
        if (isTooSmall()) {
            throw refusal();
        }
    }

    /** Returns whether there is too little room for all nodes. Ranks that do not join have no node. */
    public boolean isTooSmall() {
        return leftBytes < ranks * nodeBytes;
    }

    /** Returns whether there is too little room for one more node. Checked by a rank that could not create its own. */
    public boolean isFull() {
        return leftBytes < nodeBytes;
    }

    /** Returns the exception that {@link #check} throws. */
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
