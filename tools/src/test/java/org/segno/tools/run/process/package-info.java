/** Tests of the processes of ranks. */
@NullMarked
package org.segno.tools.run.process;

import org.jspecify.annotations.NullMarked;
