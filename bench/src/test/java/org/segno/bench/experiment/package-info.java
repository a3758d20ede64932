/** Tests of the package. */
@NullMarked
package org.segno.bench.experiment;

import org.jspecify.annotations.NullMarked;
