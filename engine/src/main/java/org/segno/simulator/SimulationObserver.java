package org.segno.simulator;

/** Receives the events of a simulation in their order, for a trace. It must not change anything. */
@FunctionalInterface
public interface SimulationObserver {
    /**
     * Receives an event.
     *
     * @param virtualNs time since the start
     * @param rank where it happened
     * @param kind kind of the event: an operation, {@code received}, or a fault, in lower case
     * @param text details, for people
     */
    void event(long virtualNs, int rank, String kind, String text);
}
