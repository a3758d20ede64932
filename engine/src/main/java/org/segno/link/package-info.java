/**
 * Interface that a transport implements, by which a node reaches another.
 *
 * <p>Uses {@code memory} and {@code packet}. {@link java.util.ServiceLoader} finds the transports, which depend on this
 * package but not on the engine.
 */
@NullMarked
package org.segno.link;

import org.jspecify.annotations.NullMarked;
