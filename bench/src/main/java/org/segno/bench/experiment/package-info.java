/**
 * Experiments: two sides in two processes, run in slices, and the ways to time them.
 *
 * <p>Depends on no other package of this module. Used by {@code limit}, {@code peer} and {@code segno}, which define
 * experiments, and by {@code harness}, which runs them.
 */
@NullMarked
package org.segno.bench.experiment;

import org.jspecify.annotations.NullMarked;
