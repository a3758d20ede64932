/** Tests of the benchmarks of parts. */
@NullMarked
package org.segno.bench.parts;

import org.jspecify.annotations.NullMarked;
