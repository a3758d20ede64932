/**
 * Sharing of a context by threads: the work posted to it, its lock, the thread that advances it by itself, and the
 * rules that applications declare.
 *
 * <p>Uses {@code job} for threads, and {@code status}. Used by {@code context}, which runs the work and enforces the
 * rules, and by {@code node}, where they are declared.
 */
@NullMarked
package org.segno.work;

import org.jspecify.annotations.NullMarked;
