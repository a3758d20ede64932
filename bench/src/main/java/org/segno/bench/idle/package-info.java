/**
 * Cost of ranks that only wait: {@code bench idle}.
 *
 * <p>Uses the engine's {@code node} and {@code context} packages, and the types that they return. Used by the command.
 */
@NullMarked
package org.segno.bench.idle;

import org.jspecify.annotations.NullMarked;
