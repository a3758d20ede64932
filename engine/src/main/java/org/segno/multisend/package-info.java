/**
 * Many messages in one call: one payload to many targets, or a different piece to each. No group is set up beforehand,
 * and no rank forwards messages. Each multisend is recorded when it is first sent, and replayed from then on.
 * Streams by connection id are those of {@code ManyToMany} alone; a multicast is received by a dispatch id.
 *
 * <p>Depends on {@code context} and the packages below it. Used by applications.
 */
@NullMarked
package org.segno.multisend;

import org.jspecify.annotations.NullMarked;
