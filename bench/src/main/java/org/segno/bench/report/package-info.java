/**
 * Conversion of slices to figures, and of figures to a table or JSON.
 *
 * <p>Uses {@code experiment}, {@code harness} and {@code jmh}, and the reports of {@code org.segno.tools.output}. Used
 * by the commands.
 */
@NullMarked
package org.segno.bench.report;

import org.jspecify.annotations.NullMarked;
