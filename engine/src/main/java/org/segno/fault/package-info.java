/**
 * Places where tests stop or end a process, to see what becomes of the others.
 *
 * <p>Knows nothing. Known by those packages of the engine that have such a place.
 */
@NullMarked
package org.segno.fault;

import org.jspecify.annotations.NullMarked;
