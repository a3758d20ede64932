/**
 * Measurement of the time in which a lost datagram is repeated that no other follows.
 *
 * <p>Uses {@code udp} and {@code report}; used by the command.
 */
@NullMarked
package org.segno.bench.recovery;

import org.jspecify.annotations.NullMarked;
