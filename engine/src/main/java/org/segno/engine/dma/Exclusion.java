package org.segno.engine.dma;

/** Excludes threads that use one engine from each other. None of them waits. */
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

    /** Ends the calling thread's use. What it has written is visible to the next one. */
    void end();
}
