/**
 * Links between nodes of several hosts over Aeron.
 *
 * <p>Knows the link seam of the engine and nothing else of it. Found by {@code ServiceLoader}.
 */
@NullMarked
package org.segno.transport.aeron;

import org.jspecify.annotations.NullMarked;
