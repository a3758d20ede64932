/**
 * Links over Aeron: frames travel in UDP datagrams, between processes of any hosts that reach each other.
 *
 * <p>An {@link org.segno.transport.aeron.AeronDriver} is Aeron's media driver and client in this process, run by the
 * threads of its engines. An {@link org.segno.transport.aeron.AeronLink} is one end of a link. Each end has a port of
 * its own; the ends are joined once each has the {@link org.segno.transport.aeron.AeronAddress} of the other, and both
 * the {@link org.segno.transport.aeron.LinkKey} of each direction. A datagram without the key's tag has no effect.
 */
@NullMarked
package org.segno.transport.aeron;

import org.jspecify.annotations.NullMarked;
