package org.segno.dispatch;

/** Hears of hits: a counter has reached zero or below. On the thread that advances. Hits may be spurious, never lost. */
@FunctionalInterface
public interface CounterHandler {
    /** The counter with this id was hit. */
    void onHit(int counter);
}
