/** Tests of what the launcher takes from the operating system. */
@NullMarked
package org.segno.tools.process;

import org.jspecify.annotations.NullMarked;
