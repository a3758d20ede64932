package org.segno.engine.fifo;

/** Excludes threads that use one engine from each other. A use takes about as long as a pass at most. */
public interface Exclusion {
    /** Exclusion for an engine that one thread uses. */
    Exclusion NONE = new Exclusion() {
        @Override
        public boolean tryBegin() {
            return true;
        }

        @Override
        public void end() {}
    };

    /** Begins the calling thread's use of the engine; returns false while another thread uses it. */
    boolean tryBegin();

    /** Begins the calling thread's use of the engine, as soon as no other thread uses it. */
    default void begin() {
        while (!tryBegin()) {
            Thread.onSpinWait();
        }
    }

    /** Ends the calling thread's use. What it has written is visible to the next one. */
    void end();
}
