/**
 * Messages of any length behind one call: the shortest in their descriptor, short ones in one record of a lane, long ones by rendezvous,
 * landed where the receiver's handler says.
 *
 * <p>Knows {@code context} and what that hands out. Known by applications.
 */
@NullMarked
package org.segno.message;

import org.jspecify.annotations.NullMarked;
