package org.segno.engine.counter;

/**
 * Listener for an {@code expect} of the owner that leaves its counter at or below zero. Called on the thread that
 * expected.
 */
@FunctionalInterface
public interface HitListener {
    /** Receives the id of a counter that is complete for all its expectations so far. */
    void onHit(int counter);
}
