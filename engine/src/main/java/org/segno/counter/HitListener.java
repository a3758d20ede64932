package org.segno.counter;

/** Hears that an {@code expect} of the owner's left its counter at or below zero. Called on the thread that expected. */
@FunctionalInterface
public interface HitListener {
    /** The counter is complete, as far as it was expected. */
    void onHit(int counter);
}
