package org.segno.engine.dma;

/**
 * A descriptor of a {@link DecodedSection} as it was validated: the places and the function that its words stand for.
 * Used only by the engine's thread.
 */
abstract class Decoded {
    /** Result of a descriptor that was carried out. */
    static final int DONE = 0;

    /** Result when the descriptor waits, or the quantum ends within it. Nothing has changed. */
    static final int REMAINS = 1;

    /** Result when a table has changed that the validation has read. Nothing else has changed. */
    static final int CHANGED = 2;

    /** Carries the descriptor out if that is possible without its validation. */
    abstract int execute(Visit visit);
}
