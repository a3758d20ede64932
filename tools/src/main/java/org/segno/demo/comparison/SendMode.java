package org.segno.demo.comparison;

/** Modes of sending the messages of a phase. */
public enum SendMode {
    /** Each message by a call of its own, published separately. */
    INJECTED(0, "injected one by one"),

    /** All messages by one call, published together. */
    MULTISEND(1, "multisend"),

    /** Messages recorded once, sent again by an entry in a ring. */
    REPLAYED(2, "replayed");

    private final int index;
    private final String title;

    SendMode(int index, String title) {
        this.index = index;
        this.title = title;
    }

    /** Returns the index of the mode in tables. */
    int index() {
        return index;
    }

    /** Returns the title of the mode for people. */
    String title() {
        return title;
    }
}
