/**
 * The same messages sent in three ways, one by one, together and replayed: measured by turns, checked, told.
 *
 * <p>A demo brings its options and what it repeats, {@code WayOptions}, {@code Workload} and {@code Part}; the rest is here. Knows
 * {@code rank}, {@code solver} and {@code halo}.
 */
@NullMarked
package org.segno.tools.demo.ways;

import org.jspecify.annotations.NullMarked;
