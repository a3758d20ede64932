/**
 * Variables that launchers other than Segno's own set for the processes that they start, read and compared.
 *
 * <p>Uses no other package. Used by {@code node}, which creates the configuration of a rank from them.
 */
@NullMarked
package org.segno.engine.launcher;

import org.jspecify.annotations.NullMarked;
