/** Tests of the package. */
@NullMarked
package org.segno.bench.mpi;

import org.jspecify.annotations.NullMarked;
