/**
 * Membership of a process in a job: its ranks, its directory, and the notifications of ranks that have left or died.
 *
 * <p>{@code JobSettings} describes a member, {@code JobDirectory} is the place in the file system, {@code Hub} keeps
 * the roster at the launcher or rank 0, and {@code Membership} holds each process's connection to the hub. Used by
 * {@code node} and by launchers.
 */
@NullMarked
package org.segno.engine.job;

import org.jspecify.annotations.NullMarked;
