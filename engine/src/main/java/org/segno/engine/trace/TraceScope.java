package org.segno.engine.trace;

/** Part of the traffic that a trace contains. */
public enum TraceScope {
    /** All descriptors that engines carry out, and the rounds of patterns. */
    ALL,

    /** Descriptors and rounds of patterns alone. */
    PATTERN
}
