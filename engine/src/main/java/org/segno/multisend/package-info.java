/**
 * Many messages in one call: one payload to many targets, or a different piece to each, with no group set up beforehand and nothing
 * forwarded. Each is recorded as it is first sent, and replayed from then on.
 *
 * <p>Knows {@code context} and what that hands out. Known by applications.
 */
@NullMarked
package org.segno.multisend;

import org.jspecify.annotations.NullMarked;
