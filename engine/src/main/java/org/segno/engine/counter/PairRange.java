package org.segno.engine.counter;

/**
 * Ranges and sources of a counter pair.
 *
 * @param even range of the even counter
 * @param odd range of the odd counter, with the same length, sources and rights
 * @param evenOffset offset of the even range in its window
 * @param oddOffset offset of the odd range in its window
 */
public record PairRange(CounterRange even, CounterRange odd, long evenOffset, long oddOffset) {}
