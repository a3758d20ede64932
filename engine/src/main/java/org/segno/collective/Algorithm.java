package org.segno.collective;

/**
 * A way to carry out a kind of collective. It has no state: the schedule of a member follows from the shape alone, and
 * the schedules of all members fit together.
 */
public interface Algorithm {
    /** Returns the name, by which {@link Call#by} and reports refer to it. */
    String name();

    /** Returns a description of one line. */
    String description();

    /** Returns true if it can carry out a call. The result is equal at all members. */
    boolean isValid(Shape shape);

    /** Writes the steps of the member {@code shape.self()}. */
    void write(Shape shape, Schedule schedule);
}
