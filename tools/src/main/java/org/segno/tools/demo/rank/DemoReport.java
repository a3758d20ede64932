package org.segno.tools.demo.rank;

import org.jspecify.annotations.Nullable;

/** What rank 0 of a demo prints at its end. */
public interface DemoReport {
    /** Why the answer is no, or null. */
    @Nullable
    String problem();

    /** Lines for people. */
    String toText();

    /** One object for programs. */
    String toJson();
}
