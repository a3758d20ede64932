package org.segno.bench.experiment;

/** Messages in one direction, which a {@link RateSide} times. It is a sender at the origin, a receiver at the echo. */
public interface Stream extends Sender, Receiver {}
