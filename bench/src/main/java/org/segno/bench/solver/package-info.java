/** The iterations of {@code segno demo cg} beside those of a program with MPI: the {@code bench cg} command. */
@NullMarked
package org.segno.bench.solver;

import org.jspecify.annotations.NullMarked;
