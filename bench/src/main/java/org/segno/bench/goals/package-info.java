/**
 * Comparison of the figures of links with their goals.
 *
 * <p>Uses {@code report}; used by the command.
 */
@NullMarked
package org.segno.bench.goals;

import org.jspecify.annotations.NullMarked;
