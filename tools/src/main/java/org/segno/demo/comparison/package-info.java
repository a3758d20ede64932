/**
 * Comparison of three ways to send the same messages: one by one, together and replayed. The ways are measured by
 * turns, checked and reported.
 *
 * <p>A demo provides its options and its repeated parts, {@code ComparisonOptions}, {@code Workload} and {@code MeasuredExchange}; all
 * else is here. Uses {@code rank}, {@code solver} and {@code halo}.
 */
@NullMarked
package org.segno.demo.comparison;

import org.jspecify.annotations.NullMarked;
