/**
 * Links between nodes of several hosts over Aeron.
 *
 * <p>Uses only the link interface of the engine. {@code ServiceLoader} finds it.
 */
@NullMarked
package org.segno.transport.aeron;

import org.jspecify.annotations.NullMarked;
