/**
 * Traces of executed descriptors: a ring of each engine in process memory, and the service that consumes the rings of
 * a node beside the message path.
 *
 * <p>An engine writes and never waits. What finds no room in a ring is counted.
 */
@NullMarked
package org.segno.engine.trace;

import org.jspecify.annotations.NullMarked;
