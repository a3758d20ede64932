/**
 * Time until other ranks detect that a rank was killed: {@code bench death}.
 *
 * <p>Uses the packages that applications name. Used by the command.
 */
@NullMarked
package org.segno.bench.death;

import org.jspecify.annotations.NullMarked;
