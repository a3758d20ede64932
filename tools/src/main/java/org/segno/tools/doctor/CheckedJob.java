package org.segno.tools.doctor;

import java.nio.file.Path;

/**
 * The job for which the host is checked.
 *
 * @param ranks the number of ranks
 * @param named true if {@code --for} names the job; otherwise the job has one rank per core
 * @param parent the parent of its job directory
 */
record CheckedJob(int ranks, boolean named, Path parent) {}
