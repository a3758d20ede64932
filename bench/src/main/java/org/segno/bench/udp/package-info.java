/**
 * Ends of links over Aeron and of bare Aeron, of which one thread runs both of a connection, and a network between them
 * that loses datagrams.
 *
 * <p>Used by the benchmarks of parts and by the measurement of losses.
 */
@NullMarked
package org.segno.bench.udp;

import org.jspecify.annotations.NullMarked;
