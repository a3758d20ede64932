package org.segno.engine.job;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Place of a rank in a job, as far as the directory and the membership need it. Made from a configuration.
 *
 * @param jobName the job's name
 * @param rank from 0
 * @param size number of ranks in the job
 * @param directory parent of job directories, an absolute path
 * @param keep whether the job directory stays after all ranks have joined
 * @param launched whether a launcher is the hub, and not rank 0
 * @param hosts for a job of several hosts without a launcher: how the first rank of each host makes its hub; null for
 *     every other rank
 */
public record JobSettings(
        String jobName,
        int rank,
        int size,
        Path directory,
        boolean keep,
        boolean launched,
        @Nullable HubSettings hosts) {
    /** Returns true if the process of this rank makes the hub of its host, if no launcher has made it. */
    boolean makesHub() {
        return rank == 0 || hosts != null;
    }
}
