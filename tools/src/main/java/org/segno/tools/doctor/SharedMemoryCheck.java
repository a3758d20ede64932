package org.segno.tools.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.util.List;
import org.segno.job.JobDirectory;
import org.segno.node.NodeConfig;
import org.segno.tools.output.Quantity;

/** Check of the file system of the job directory: its room, its type, and the mode of the parent directory. */
final class SharedMemoryCheck implements Check {
    private static final String CHECK = "shared-memory";
    private static final int PERMISSIONS = 07777;
    private static final String REMEDY =
            "set SEGNO_DIR to a directory with more room, enlarge this one (containers: --shm-size),"
                    + " or use fewer ranks";

    @Override
    public List<Finding> look(Host host, Plan plan) {
        if (!Files.isDirectory(plan.parent()) || !Files.isWritable(plan.parent())) {
            return List.of(Finding.failure(
                    CHECK,
                    plan.parent() + " is not a directory that this user can write to",
                    "job directories are created there",
                    "set SEGNO_DIR to a writable directory"));
        }
        try {
            final FileStore store = Files.getFileStore(plan.parent());
            final long needed = plan.ranks() * NodeConfig.defaults().fileBytes(plan.ranks());
            final int mode = (int) Files.getAttribute(plan.parent(), "unix:mode") & PERMISSIONS;
            return List.of(
                    room(plan, store.getTotalSpace(), store.getUsableSpace(), needed),
                    kind(plan, store.type()),
                    mode(plan, mode));
        } catch (final IOException e) {
            return List.of(Finding.failure(CHECK, plan.parent() + ": " + e, "its room and type are unknown", REMEDY));
        } catch (final IllegalArgumentException e) {
            return List.of(Finding.failure(
                    CHECK, e.getMessage() + "", "a node does not support so many ranks", "use fewer ranks"));
        }
    }

    static Finding room(Plan plan, long total, long free, long needed) {
        final String measured = plan.parent() + " " + Quantity.ofBytes(total) + ", " + Quantity.ofBytes(free)
                + " free, " + Quantity.of(plan.ranks(), "rank") + " need" + (plan.ranks() == 1 ? "s " : " ")
                + Quantity.ofBytes(needed) + " plus windows";
        if (free < needed) {
            return Finding.failure(
                    CHECK, measured, "node files are reserved at start, and this start will fail", REMEDY);
        }
        return free / 2 < needed
                ? Finding.warning(CHECK, measured, "little is left for windows", REMEDY)
                : Finding.ok(CHECK, measured);
    }

    static Finding mode(Plan plan, int mode) {
        final String measured = plan.parent() + " has mode " + Integer.toOctalString(mode);
        return JobDirectory.isUnsafe(mode)
                ? Finding.failure(
                        "shared-memory-mode",
                        measured + ", without the sticky bit",
                        "another user could remove or replace a job's directory, so jobs refuse it",
                        "chmod +t " + plan.parent() + ", or set SEGNO_DIR to another directory")
                : Finding.ok("shared-memory-mode", measured);
    }

    static Finding kind(Plan plan, String type) {
        return type.equals("tmpfs") || type.equals("hugetlbfs")
                ? Finding.ok("shared-memory-kind", plan.parent() + " is in memory (" + type + ")")
                : Finding.warning(
                        "shared-memory-kind",
                        plan.parent() + " is not in memory but on " + type,
                        "the system writes changed pages back to it",
                        "set SEGNO_DIR to a directory on a tmpfs, such as /dev/shm");
    }
}
