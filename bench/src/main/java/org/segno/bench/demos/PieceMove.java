package org.segno.bench.demos;

/**
 * Way of one piece of an exchange.
 *
 * @param target rank that receives it, which may be its sender
 * @param sourceOffset offset in the sender's source, in bytes
 * @param targetOffset offset among the received pieces of the target, in bytes
 * @param length length in bytes
 */
public record PieceMove(int target, int sourceOffset, int targetOffset, int length) {}
