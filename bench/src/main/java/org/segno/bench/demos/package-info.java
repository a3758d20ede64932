/**
 * Messages of the demos' exchanges, so that Segno, MPI and bare loops send the same ones.
 *
 * <p>Uses the plans of {@code org.segno.demo}. Used by {@code limit}, {@code segno} and {@code mpi}.
 */
@NullMarked
package org.segno.bench.demos;

import org.jspecify.annotations.NullMarked;
