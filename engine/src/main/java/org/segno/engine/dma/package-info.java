/**
 * The engine half of a node: it carries out the descriptors of injection FIFOs and lands packets in memory.
 *
 * <p>The application half never refers to it. {@code node} assembles both halves, and they share mapped memory.
 */
@NullMarked
package org.segno.engine.dma;

import org.jspecify.annotations.NullMarked;
