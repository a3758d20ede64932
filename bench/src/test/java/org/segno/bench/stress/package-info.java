/**
 * The engine's own classes under jcstress: two real threads at one FIFO, lane, counter or ring, hundreds of thousands
 * of times, compiled in every combination that the JVM has.
 *
 * <p>Each test is one race, and says of every outcome whether it may be and why. {@code JcstressTest} runs them all, in
 * the profile {@code jcstress} alone.
 */
@NullMarked
package org.segno.bench.stress;

import org.jspecify.annotations.NullMarked;
