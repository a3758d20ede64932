package org.segno.program;

import org.segno.job.JobConfig;

/**
 * A program of which every rank can be a thread: {@code segno run --as threads} makes one object of it per rank, by its constructor
 * without parameters, and runs each on a thread of its own, all in one process.
 *
 * <p>The same class serves {@code --as processes} with two lines:
 *
 * <pre>{@code
 * public static void main(String[] arguments) throws Exception {
 *     new Halo().run(JobConfig.fromEnvironment(), arguments);
 * }
 * }</pre>
 *
 * <p>Static fields are shared by all ranks, and {@link System#exit} ends all. What a rank's thread, and threads that it starts, write to
 * {@link System#out} and {@link System#err} is the rank's own output.
 */
public interface RankMain {
    /**
     * Runs one rank to its end.
     *
     * @param job as whom to join: {@code Node.join(job, …)}
     * @param arguments of the program, the same for all ranks
     * @throws Exception when the rank fails; the job then ends with status 1, as for a process
     */
    void run(JobConfig job, String[] arguments) throws Exception;
}
