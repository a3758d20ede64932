/**
 * Two worker processes, one per core, that step through a plan in lock step, and the parent that starts and watches
 * them.
 *
 * <p>Knows {@code experiment}. Known by the command.
 */
@NullMarked
package org.segno.bench.harness;

import org.jspecify.annotations.NullMarked;
