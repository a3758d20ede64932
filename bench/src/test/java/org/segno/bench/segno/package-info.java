/** Tests of the package. */
@NullMarked
package org.segno.bench.segno;

import org.jspecify.annotations.NullMarked;
