/**
 * The demos' exchanges, collectives and the solver by native MPI, in programs in C that are built when {@code mpicc}
 * and {@code mpirun} are found.
 *
 * <p>Uses {@code experiment} and {@code demos}; used by the catalogue, and by the commands that compare with MPI.
 */
@NullMarked
package org.segno.bench.mpi;

import org.jspecify.annotations.NullMarked;
