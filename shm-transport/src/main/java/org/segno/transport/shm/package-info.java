/**
 * Links between nodes of one host over mapped files: every process maps the node files of all others.
 *
 * <p>Uses {@code link} and {@code memory} of the engine. {@link java.util.ServiceLoader} finds it.
 */
@NullMarked
package org.segno.transport.shm;

import org.jspecify.annotations.NullMarked;
