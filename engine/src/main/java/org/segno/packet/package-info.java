/**
 * What one engine sends to another over a link: a header and some payload.
 *
 * <p>Knows {@code memory}. Known by {@code link}, which carries packets, and by {@code dma}, which writes and reads them.
 */
@NullMarked
package org.segno.packet;

import org.jspecify.annotations.NullMarked;
