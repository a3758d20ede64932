package org.segno.engine.job;

import java.nio.file.Path;

/**
 * Place of a rank in a job, as far as the directory and the membership need it. Made from a configuration.
 *
 * @param jobName the job's name
 * @param rank from 0
 * @param size number of ranks in the job
 * @param directory parent of job directories, an absolute path
 * @param keep whether the job directory stays after all ranks have joined
 * @param launched whether a launcher is the hub, and not rank 0
 */
public record JobSettings(String jobName, int rank, int size, Path directory, boolean keep, boolean launched) {}
