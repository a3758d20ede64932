/** Collectives of several ranks beside those of MPI: the {@code bench collectives} command. */
@NullMarked
package org.segno.bench.collective;

import org.jspecify.annotations.NullMarked;
