package org.segno.tools.demo.ways;

/** How the messages of a phase are sent. */
public enum Way {
    /** Each by a call of its own, published by itself. */
    INJECTED(0, "injected one by one"),

    /** All by one call, published together. */
    MULTISEND(1, "multisend"),

    /** Recorded once, sent again by an entry in a ring. */
    REPLAYED(2, "replayed");

    private final int index;
    private final String title;

    Way(int index, String title) {
        this.index = index;
        this.title = title;
    }

    /** Its place in tables. */
    int index() {
        return index;
    }

    /** As people read it. */
    String title() {
        return title;
    }
}
