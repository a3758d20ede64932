/**
 * Removes what ended jobs have left: {@code segno clean}.
 *
 * <p>Knows {@code observe}, which sees whose files are open.
 */
@NullMarked
package org.segno.tools.clean;

import org.jspecify.annotations.NullMarked;
