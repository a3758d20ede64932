/**
 * The only code that writes what was sent into a node's memory, with every check.
 *
 * <p>Knows {@code memory}, {@code counter}, {@code descriptor}, {@code packet}, {@code metrics} and {@code fifo}. Known by {@code dma}: over shared memory the sender's engine lands in
 * the peer's mapped memory, over links the receiver's engine lands in its own.
 */
@NullMarked
package org.segno.landing;

import org.jspecify.annotations.NullMarked;
