/**
 * Time until other ranks detect that a rank was killed: {@code bench death}.
 *
 * <p>Uses the engine's {@code node} and {@code context} packages, and the types that they return. Used by the command.
 */
@NullMarked
package org.segno.bench.death;

import org.jspecify.annotations.NullMarked;
