package org.segno.transport.aeron;

/**
 * The end of a link at this process.
 *
 * @param node rank of this process
 * @param peer the other rank
 * @param engine of both
 */
public record AeronEnd(int node, int peer, int engine) {}
