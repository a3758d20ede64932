/**
 * The demos' exchanges by native MPI, in a program in C that is built when {@code mpicc} and {@code mpirun} are found.
 *
 * <p>Uses {@code experiment} and {@code demos}; used by the catalogue, and by the command for its header.
 */
@NullMarked
package org.segno.bench.mpi;

import org.jspecify.annotations.NullMarked;
