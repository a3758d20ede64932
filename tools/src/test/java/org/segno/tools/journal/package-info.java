/** Tests of journals. */
@NullUnmarked
package org.segno.tools.journal;

import org.jspecify.annotations.NullUnmarked;
