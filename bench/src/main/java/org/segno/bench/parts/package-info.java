/**
 * Benchmarks of the engine's parts, each alone on one thread, except work that one thread posts to another. They show
 * the cost with every line in the own cache.
 *
 * <p>Uses {@code jmh} and the engine. The command finds the benchmarks through JMH's list.
 */
@NullMarked
package org.segno.bench.parts;

import org.jspecify.annotations.NullMarked;
