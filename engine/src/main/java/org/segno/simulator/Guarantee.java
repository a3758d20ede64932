package org.segno.simulator;

/** Promise of the engine that a simulation checks. */
public enum Guarantee {
    /** Messages of a pair of ranks and stream are received in the order in which they were sent, each once. */
    ORDER,

    /** Everything arrives, whole, where it belongs and nowhere else, and what cannot arrive ends with an error. */
    DELIVERY,

    /** Counters have exactly the values that the operations give them. */
    COUNTER
}
