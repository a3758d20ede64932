/** Tests of the bare loops. */
@NullMarked
package org.segno.bench.limit;

import org.jspecify.annotations.NullMarked;
