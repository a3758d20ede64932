/**
 * Landing of messages: the only code that writes received data to a node's memory, with every check.
 *
 * <p>Used by {@code dma}. Over shared memory the sender's engine lands in the peer's mapped memory. Over links the
 * receiver's engine lands in its own memory.
 */
@NullMarked
package org.segno.engine.landing;

import org.jspecify.annotations.NullMarked;
