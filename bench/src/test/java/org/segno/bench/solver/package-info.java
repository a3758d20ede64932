/** Tests of the package. */
@NullMarked
package org.segno.bench.solver;

import org.jspecify.annotations.NullMarked;
