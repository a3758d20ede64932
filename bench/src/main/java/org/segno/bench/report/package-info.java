/**
 * Conversion of slices to figures, and of figures to a table or JSON.
 *
 * <p>Uses {@code experiment} and the measurements of {@code harness}; used by the command.
 */
@NullMarked
package org.segno.bench.report;

import org.jspecify.annotations.NullMarked;
