package org.segno.tools.demo.solver;

/** Brings the neighbours' values into a local vector before it is multiplied. */
@FunctionalInterface
public interface Ghosts {
    /** For a rank that owns all rows. */
    Ghosts NONE = vector -> {};

    /** Fills the ghosts of {@code vector}, which lie behind the own values, with what their owners hold now. Every rank calls this. */
    void exchange(double[] vector);
}
