/**
 * Runs benchmarks of single parts with JMH and its gc profiler, and reports what an operation costs.
 *
 * <p>Knows JMH. Known by {@code parts}, whose benchmarks it finds by their list, and by the command.
 */
@NullMarked
package org.segno.bench.jmh;

import org.jspecify.annotations.NullMarked;
