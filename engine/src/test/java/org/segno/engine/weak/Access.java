package org.segno.engine.weak;

/** Mode of an access to a word. */
enum Access {
    LOAD(false, false, false),
    ACQUIRE(true, false, false),
    STORE(false, true, false),
    RELEASE(false, true, true),
    /** An atomic add without any order: the rest of {@link #ATOMIC} when its order is removed. */
    UNORDERED_ATOMIC(false, true, false),
    ATOMIC(true, true, true),
    /** A full fence that was removed. */
    NO_FENCE(false, false, false),
    /** A full fence: it accesses no word. */
    FENCE(true, false, true);

    final boolean acquires;
    final boolean writes;
    final boolean releases;

    Access(boolean acquires, boolean writes, boolean releases) {
        this.acquires = acquires;
        this.writes = writes;
        this.releases = releases;
    }

    /** Returns the same access without its order. */
    Access unordered() {
        return switch (this) {
            case ACQUIRE -> LOAD;
            case RELEASE -> STORE;
            case ATOMIC -> UNORDERED_ATOMIC;
            case FENCE -> NO_FENCE;
            default -> this;
        };
    }
}
