/**
 * Collectives: operations of all members of a {@link org.segno.collective.Geometry}. Each is compiled once into a
 * section of descriptors, which the DMA engine executes: a started collective needs no application thread, and starting
 * it costs one entry in a ring, whatever its size and the number of members.
 *
 * <p>The form follows the patents on collectives by byte counters and on barriers by counters, nos. 003 and 004 of the
 * family, and the geometries of PAMI.
 */
@NullMarked
package org.segno.collective;

import org.jspecify.annotations.NullMarked;
