/**
 * What an experiment is: two sides in two processes, run in slices, and the ways to time them.
 *
 * <p>Knows nothing of this module. Known by {@code limit} and {@code peer}, which fill it, and by {@code harness}, which
 * runs it.
 */
@NullMarked
package org.segno.bench.experiment;

import org.jspecify.annotations.NullMarked;
