/** Tests of the launcher, most of them with the real command in a process of its own. */
@NullMarked
package org.segno.tools.run;

import org.jspecify.annotations.NullMarked;
