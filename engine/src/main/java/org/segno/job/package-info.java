/**
 * The job that a process takes part in: who belongs to it, where it lives, who has left or died.
 *
 * <p>{@code JobConfig} says who takes part, {@code JobDirectory} is the place on the file system, {@code Hub} keeps the roster at the
 * launcher or rank 0, {@code Membership} holds each process's line to it. Knows {@code status}, {@code launcher} and the JDK alone. Known by {@code node}
 * and by launchers.
 */
@NullMarked
package org.segno.job;

import org.jspecify.annotations.NullMarked;
