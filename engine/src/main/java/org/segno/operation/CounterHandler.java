package org.segno.operation;

/**
 * Handler of hits: a counter has reached zero or below. Called on the thread that advances. Hits may be spurious but
 * are never lost.
 */
@FunctionalInterface
public interface CounterHandler {
    /** Receives a hit of the counter with this id. */
    void onHit(int counter);
}
