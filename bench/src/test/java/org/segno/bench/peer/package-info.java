/** Tests of the package. */
@NullMarked
package org.segno.bench.peer;

import org.jspecify.annotations.NullMarked;
