/**
 * Selection of a message's handler, and the announcements of messages that are too long for a lane.
 *
 * <p>Used by {@code context} and {@code message}.
 */
@NullMarked
package org.segno.engine.dispatch;

import org.jspecify.annotations.NullMarked;
