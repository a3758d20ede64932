/**
 * Two worker processes, one per core, that execute a plan in lock step, and the parent that starts and watches them.
 *
 * <p>Uses {@code experiment}; used by the command.
 */
@NullMarked
package org.segno.bench.harness;

import org.jspecify.annotations.NullMarked;
