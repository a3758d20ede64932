/**
 * Stress tests of the engine's own classes with jcstress: two real threads at one FIFO, lane, counter or ring, hundreds
 * of thousands of times, compiled in every combination that the JVM has.
 *
 * <p>Each test is one race. It lists every outcome with its expectation and the reason. {@code JcstressTest} runs them
 * all, in the profile {@code jcstress} alone.
 */
@NullMarked
package org.segno.bench.stress;

import org.jspecify.annotations.NullMarked;
