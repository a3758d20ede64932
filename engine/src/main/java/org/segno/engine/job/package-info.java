/**
 * Membership of a process in a job: its ranks, its directory, and the notifications of ranks that have left or died.
 *
 * <p>{@code JobSettings} describes a member, {@code JobDirectory} is the place in the file system, {@code Hub} keeps
 * the roster at the launcher or rank 0, {@code HostHub} connects the processes of a further host to it, and
 * {@code Membership} holds each process's connection to the hub of its host. Used by {@code node} and by launchers.
 */
@NullMarked
package org.segno.engine.job;

import org.jspecify.annotations.NullMarked;
