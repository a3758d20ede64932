package org.segno.tools.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.util.List;
import org.segno.engine.job.JobDirectory;
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
    public List<Finding> look(Host host, CheckedJob job) {
        if (!Files.isDirectory(job.parent()) || !Files.isWritable(job.parent())) {
            return List.of(Finding.failure(
                    CHECK,
                    job.parent() + " is not a directory that this user can write to",
                    "job directories are created there",
                    "set SEGNO_DIR to a writable directory"));
        }
        try {
            final FileStore store = Files.getFileStore(job.parent());
            final long needed = job.ranks() * NodeConfig.defaults().fileBytes(job.ranks());
            final int mode = (int) Files.getAttribute(job.parent(), "unix:mode") & PERMISSIONS;
            return List.of(
                    room(job, store.getTotalSpace(), store.getUsableSpace(), needed),
                    kind(job, store.type()),
                    mode(job, mode));
        } catch (final IOException e) {
            return List.of(Finding.failure(CHECK, job.parent() + ": " + e, "its room and type are unknown", REMEDY));
        } catch (final IllegalArgumentException e) {
            return List.of(Finding.failure(
                    CHECK,
                    e.getMessage() + "",
                    "a node does not support so many ranks with these settings",
                    "increase the setting (withLaneBudgetBytes: --lane-budget-bytes), or use fewer ranks"));
        }
    }

    static Finding room(CheckedJob job, long total, long free, long needed) {
        final String measured = job.parent() + " " + Quantity.ofBytes(total) + ", " + Quantity.ofBytes(free)
                + " free, " + Quantity.of(job.ranks(), "rank") + " need" + (job.ranks() == 1 ? "s " : " ")
                + Quantity.ofBytes(needed) + " plus windows";
        if (free < needed) {
            return Finding.failure(
                    CHECK, measured, "node files are reserved at start, and this start will fail", REMEDY);
        }
        return free / 2 < needed
                ? Finding.warning(CHECK, measured, "little is left for windows", REMEDY)
                : Finding.ok(CHECK, measured);
    }

    static Finding mode(CheckedJob job, int mode) {
        final String measured = job.parent() + " has mode " + Integer.toOctalString(mode);
        return JobDirectory.isUnsafe(mode)
                ? Finding.failure(
                        "shared-memory-mode",
                        measured + ", without the sticky bit",
                        "another user could remove or replace a job's directory, so jobs refuse it",
                        "chmod +t " + job.parent() + ", or set SEGNO_DIR to another directory")
                : Finding.ok("shared-memory-mode", measured);
    }

    static Finding kind(CheckedJob job, String type) {
        return type.equals("tmpfs") || type.equals("hugetlbfs")
                ? Finding.ok("shared-memory-kind", job.parent() + " is in memory (" + type + ")")
                : Finding.warning(
                        "shared-memory-kind",
                        job.parent() + " is not in memory but on " + type,
                        "the system writes changed pages back to it",
                        "set SEGNO_DIR to a directory on a tmpfs, such as /dev/shm");
    }
}
