/**
 * How threads share a context: what they post to it, its lock, the thread that advances it by itself, and the rules that they declare.
 *
 * <p>Knows {@code job} for threads and {@code status}. Known by {@code context}, which runs the work and keeps the rules, and by
 * {@code node}, where they are declared.
 */
@NullMarked
package org.segno.work;

import org.jspecify.annotations.NullMarked;
