/** Tests of {@code segno sim}. */
@NullMarked
package org.segno.tools.simulate;

import org.jspecify.annotations.NullMarked;
