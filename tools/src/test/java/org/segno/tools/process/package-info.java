/** Tests of the launcher's use of the operating system. */
@NullMarked
package org.segno.tools.process;

import org.jspecify.annotations.NullMarked;
