/** Tests of the package. */
@NullMarked
package org.segno.bench.harness;

import org.jspecify.annotations.NullMarked;
