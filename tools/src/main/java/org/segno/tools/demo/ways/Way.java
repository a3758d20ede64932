package org.segno.tools.demo.ways;

/** Ways to send the messages of a phase. */
public enum Way {
    /** Each message by a call of its own, published separately. */
    INJECTED(0, "injected one by one"),

    /** All messages by one call, published together. */
    MULTISEND(1, "multisend"),

    /** Messages recorded once, sent again by an entry in a ring. */
    REPLAYED(2, "replayed");

    private final int index;
    private final String title;

    Way(int index, String title) {
        this.index = index;
        this.title = title;
    }

    /** Returns the index of the way in tables. */
    int index() {
        return index;
    }

    /** Returns the title of the way for people. */
    String title() {
        return title;
    }
}
