/**
 * Benchmarks of the engine's parts, each alone on one thread, but for work that one thread posts to another: what it costs when every line is in the own cache.
 *
 * <p>Knows {@code jmh} and the engine. The command finds the benchmarks by JMH's list.
 */
@NullMarked
package org.segno.bench.parts;

import org.jspecify.annotations.NullMarked;
