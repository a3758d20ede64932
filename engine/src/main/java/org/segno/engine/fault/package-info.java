/**
 * Places where tests stop or end a process, in order to observe the others.
 *
 * <p>Uses no other package. Used by the packages of the engine that have such a place.
 */
@NullMarked
package org.segno.engine.fault;

import org.jspecify.annotations.NullMarked;
