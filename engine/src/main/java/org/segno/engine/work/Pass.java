package org.segno.engine.work;

/**
 * One step of progress, which an idle loop repeats: an engine's pass, given to a context by its node under
 * {@code INVOKER}, or a context's own pass. Run by one thread at a time.
 */
public interface Pass {
    /** Runs once and never waits. Returns the amount of work done, or zero if there was none. */
    int run();

    /**
     * Declares the engine quiet until the next {@link #run}, because the caller may park. Memory can be reused
     * meanwhile.
     */
    void rest();
}
