/**
 * Packets that one engine sends to another over a link: a header and a payload.
 *
 * <p>Used by {@code link}, which carries packets, and by {@code dma}, which writes and reads them.
 */
@NullMarked
package org.segno.engine.packet;

import org.jspecify.annotations.NullMarked;
