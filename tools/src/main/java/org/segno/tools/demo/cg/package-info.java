/**
 * The main demo: conjugate gradients on a sparse matrix whose rows are split over the ranks.
 *
 * <p>{@code CgCommand} starts the ranks, {@code CgRank} is what each of them runs. The iteration itself ({@code ConjugateGradients}) is
 * written against two small seams, ghost values and global sums; with ranks these are recorded patterns of PUTs, for the one-process
 * reference they are nothing at all.
 */
@NullMarked
package org.segno.tools.demo.cg;

import org.jspecify.annotations.NullMarked;
