package org.segno.node;

/**
 * A program with ranks that can be threads. {@code segno run --as threads} creates one object of it per rank, by its
 * constructor without parameters. It runs each on a thread of its own, all in one process.
 *
 * <p>The same class serves {@code --as processes} with two lines:
 *
 * <pre>{@code
 * public static void main(String[] arguments) throws Exception {
 *     new Halo().run(JobConfig.fromEnvironment(), arguments);
 * }
 * }</pre>
 *
 * <p>All ranks share static fields, and {@link System#exit} ends all of them. The output of a rank's thread, and of the
 * threads that it starts, to {@link System#out} and {@link System#err} is the rank's own output.
 */
public interface RankMain {
    /**
     * Runs one rank to its end.
     *
     * @param job the rank's place in the job, for {@code Node.join(job, …)}
     * @param arguments arguments of the program, the same for all ranks
     * @throws Exception when the rank fails; the job then ends with status 1, as for a process
     */
    void run(JobConfig job, String[] arguments) throws Exception;
}
