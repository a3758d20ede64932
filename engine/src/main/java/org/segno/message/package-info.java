/**
 * Messages of any length behind one call: the shortest in their descriptor, short ones in one record of a lane, long
 * ones by rendezvous. Long messages land at the location chosen by the receiver's handler.
 *
 * <p>Depends on {@code context} and the packages below it. Used by applications.
 */
@NullMarked
package org.segno.message;

import org.jspecify.annotations.NullMarked;
