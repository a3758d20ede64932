/**
 * Active messages: the selection of a message's handler, and the announcements of messages that are too long for a
 * lane.
 *
 * <p>Depends on {@code fifo}'s records only through {@code context}, which passes them, and on nothing else. Used by
 * {@code context} and {@code message}.
 */
@NullMarked
package org.segno.dispatch;

import org.jspecify.annotations.NullMarked;
