/**
 * Participants and their places: pure values, without memory and peers.
 *
 * <p>Uses no other package. Used by all packages above that refer to participants.
 */
@NullMarked
package org.segno.geometry;

import org.jspecify.annotations.NullMarked;
