package org.segno.work;

/**
 * One step of progress, run again and again by an idle loop: an engine's pass, given to a context by its node under {@code INVOKER}, or
 * a context's own. One thread at a time.
 */
public interface Pass {
    /** Runs once; never waits. Returns the amount of work done, zero if there was none. */
    int run();

    /** Declares the engine quiet until the next {@link #run}, because the caller may park: memory can be reused meanwhile. */
    void rest();
}
