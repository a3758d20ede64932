package org.segno.demo.solver;

/** Exchange of the neighbours' values into a local vector before it is multiplied. */
@FunctionalInterface
public interface Ghosts {
    /** Exchange for a rank that owns all rows. */
    Ghosts NONE = vector -> {};

    /**
     * Fills the ghosts of {@code vector}, which follow the own values, with the current values of their owners. Every
     * rank calls this.
     */
    void exchange(double[] vector);
}
