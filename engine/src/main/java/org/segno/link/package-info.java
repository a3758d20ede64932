/**
 * The seam that a transport implements: how a node comes to reach another.
 *
 * <p>Knows {@code memory} and {@code packet}. Transports are found by {@link java.util.ServiceLoader} and know this package, not the engine.
 */
@NullMarked
package org.segno.link;

import org.jspecify.annotations.NullMarked;
