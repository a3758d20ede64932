/**
 * Assembly of one node, and the job that it takes part in: who belongs to it, where it lives, who has left or died.
 *
 * <p>The job half knows {@code status} and the JDK alone: {@code JobConfig} says who takes part, {@code JobDirectory} is the place on
 * the file system, {@code Hub} keeps the roster at the launcher or rank 0, {@code Membership} holds each process's line to it.
 * The node half sees everything below and puts the two halves of the engine together.
 */
@NullMarked
package org.segno.node;

import org.jspecify.annotations.NullMarked;
