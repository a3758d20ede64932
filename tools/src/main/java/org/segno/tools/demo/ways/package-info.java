/**
 * Comparison of three ways to send the same messages: one by one, together and replayed. The ways are measured by
 * turns, checked and reported.
 *
 * <p>A demo provides its options and its repeated parts, {@code WayOptions}, {@code Workload} and {@code Part}; all
 * else is here. Uses {@code rank}, {@code solver} and {@code halo}.
 */
@NullMarked
package org.segno.tools.demo.ways;

import org.jspecify.annotations.NullMarked;
