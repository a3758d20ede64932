package org.segno.engine.landing;

/** Handler of underflows of reception counters that forbid them. Called on the thread of the engine that lands. */
@FunctionalInterface
public interface UnderflowHandler {
    /**
     * Reports that a landing has counted a counter below zero.
     *
     * @param origin rank whose message landed
     * @param target owner of the counter
     * @param counter its id
     */
    void onUnderflow(int origin, int target, int counter);
}
