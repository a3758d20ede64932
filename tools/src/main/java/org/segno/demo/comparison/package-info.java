/**
 * Comparison of three modes of sending the same messages: one by one, together and replayed. The modes are measured
 * in turn, checked and reported.
 *
 * <p>A demo provides its options and its repeated exchanges, {@code ComparisonOptions}, {@code DemoWorkload} and
 * {@code MeasuredExchange}; all else is here. Uses {@code rank}, {@code solver} and {@code halo}.
 */
@NullMarked
package org.segno.demo.comparison;

import org.jspecify.annotations.NullMarked;
