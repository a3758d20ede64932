/**
 * Active messages: which handler a message goes to, and what announces one that is too long for a lane.
 *
 * <p>Knows {@code fifo}'s records only through what {@code context} hands it, and nothing else. Known by {@code context} and {@code message}.
 */
@NullMarked
package org.segno.dispatch;

import org.jspecify.annotations.NullMarked;
