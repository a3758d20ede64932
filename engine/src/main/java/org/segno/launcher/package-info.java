/**
 * What launchers other than Segno's own tell the processes that they start: their variables, read and compared.
 *
 * <p>Knows nothing. Known by {@code job}, which makes a member of a job of it.
 */
@NullMarked
package org.segno.launcher;

import org.jspecify.annotations.NullMarked;
