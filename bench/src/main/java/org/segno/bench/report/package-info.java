/**
 * From slices to figures, and from figures to a table or JSON.
 *
 * <p>Knows {@code experiment} and what {@code harness} measured. Known by the command.
 */
@NullMarked
package org.segno.bench.report;

import org.jspecify.annotations.NullMarked;
