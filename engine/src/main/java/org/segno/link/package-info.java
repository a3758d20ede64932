/**
 * Interfaces that a transport implements, by which a node reaches another.
 *
 * <p>{@link java.util.ServiceLoader} finds a {@link org.segno.link.TransportProvider}, which begins a
 * {@link org.segno.link.Transport} in each process of a {@link org.segno.link.TransportJob}. It returns a
 * {@link org.segno.link.MappedPeer} for each peer whose memory this node maps, and a {@link org.segno.link.LinkedPeer}
 * for any other. A {@link org.segno.link.Link} carries packets to that peer; it is made when either end first uses it.
 */
@NullMarked
package org.segno.link;

import org.jspecify.annotations.NullMarked;
