/**
 * Nodes of one host over mapped files: every process maps the node files of all others.
 *
 * <p>Knows {@code link} and {@code memory} of the engine; found by {@link java.util.ServiceLoader}.
 */
@NullMarked
package org.segno.transport.shm;

import org.jspecify.annotations.NullMarked;
