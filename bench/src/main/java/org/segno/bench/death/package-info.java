/**
 * How soon the others know that a rank was killed: {@code bench death}.
 *
 * <p>Knows the engine's {@code node}, {@code context} and what they hand out. Known by the command.
 */
@NullMarked
package org.segno.bench.death;

import org.jspecify.annotations.NullMarked;
