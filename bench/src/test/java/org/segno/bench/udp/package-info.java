/** Tests of the package. */
@NullMarked
package org.segno.bench.udp;

import org.jspecify.annotations.NullMarked;
