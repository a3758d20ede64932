/** Tests of the package. */
@NullMarked
package org.segno.bench.goals;

import org.jspecify.annotations.NullMarked;
