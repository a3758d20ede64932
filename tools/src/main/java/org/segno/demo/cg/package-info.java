/**
 * {@code segno demo cg}: conjugate gradients on a sparse matrix whose rows are split over the ranks.
 *
 * <p>{@code CgCommand} starts the ranks, {@code CgRank} is the program of each rank, and {@code CgReport} is the output
 * of rank 0. The package uses {@code solver}, {@code halo} and {@code matrix}, which contain the algorithms.
 */
@NullMarked
package org.segno.demo.cg;

import org.jspecify.annotations.NullMarked;
