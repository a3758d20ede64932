package org.segno.demo.rank;

import org.jspecify.annotations.Nullable;

/** Report that rank 0 of a demo prints at its end. */
public interface DemoReport {
    /** Returns the reason for a negative result, or null. */
    @Nullable
    String problem();

    /** Returns lines for people. */
    String toText();

    /** Returns one object for programs. */
    String toJson();
}
