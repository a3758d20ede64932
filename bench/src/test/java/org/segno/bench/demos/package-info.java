/** Tests of the package. */
@NullMarked
package org.segno.bench.demos;

import org.jspecify.annotations.NullMarked;
