/**
 * Links between nodes of one host over mapped files: every process maps the node files of all others.
 *
 * <p>Implements {@code org.segno.link} and maps files by {@code org.segno.engine.memory}.
 * {@link java.util.ServiceLoader} finds it.
 */
@NullMarked
package org.segno.transport.shm;

import org.jspecify.annotations.NullMarked;
