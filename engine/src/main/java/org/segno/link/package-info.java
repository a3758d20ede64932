/**
 * Interfaces that a transport implements, by which a node reaches another.
 *
 * <p>{@link java.util.ServiceLoader} finds a {@link org.segno.link.TransportProvider}. It returns a
 * {@link org.segno.link.MappedPeer} for each peer whose memory this node maps. A {@link org.segno.link.Link} carries
 * packets to a peer without mapped memory.
 */
@NullMarked
package org.segno.link;

import org.jspecify.annotations.NullMarked;
