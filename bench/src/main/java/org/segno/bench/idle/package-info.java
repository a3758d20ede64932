/**
 * What ranks cost that only wait: {@code bench idle}.
 *
 * <p>Knows the engine's {@code node}, {@code context} and what they hand out. Known by the command.
 */
@NullMarked
package org.segno.bench.idle;

import org.jspecify.annotations.NullMarked;
