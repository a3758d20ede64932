/**
 * {@code segno demo cg}: conjugate gradients on a sparse matrix whose rows are split over the ranks.
 *
 * <p>{@code CgCommand} starts the ranks, {@code CgRank} is what each of them runs, {@code CgReport} is what rank 0 prints. Knows
 * {@code solver}, {@code halo} and {@code matrix}, which do the work.
 */
@NullMarked
package org.segno.tools.demo.cg;

import org.jspecify.annotations.NullMarked;
