/** Tests of the package. */
@NullMarked
package org.segno.bench.recovery;

import org.jspecify.annotations.NullMarked;
