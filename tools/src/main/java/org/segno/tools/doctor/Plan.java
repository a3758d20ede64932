package org.segno.tools.doctor;

import java.nio.file.Path;

/**
 * The job that the host is judged for.
 *
 * @param ranks its ranks
 * @param named true if somebody asked about it; else it is one rank for each core
 * @param parent parent of its job directory
 */
record Plan(int ranks, boolean named, Path parent) {}
