/**
 * Execution of benchmarks of single parts with JMH and its gc profiler, and reports of their costs.
 *
 * <p>Uses JMH. Used by the command, and by {@code parts}; it finds the benchmarks there through JMH's list.
 */
@NullMarked
package org.segno.bench.jmh;

import org.jspecify.annotations.NullMarked;
