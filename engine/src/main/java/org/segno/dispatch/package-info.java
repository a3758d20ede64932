/**
 * Active messages: which handler a message goes to.
 *
 * <p>Knows {@code fifo}'s records only through what {@code context} hands it, and nothing else. Known by {@code context}.
 */
@NullMarked
package org.segno.dispatch;

import org.jspecify.annotations.NullMarked;
