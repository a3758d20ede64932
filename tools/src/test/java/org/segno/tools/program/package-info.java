/** Tests of the programs of ranks. */
@NullMarked
package org.segno.tools.program;

import org.jspecify.annotations.NullMarked;
