/** Tests of what a rank executes. */
@NullMarked
package org.segno.tools.program;

import org.jspecify.annotations.NullMarked;
