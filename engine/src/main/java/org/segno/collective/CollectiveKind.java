package org.segno.collective;

import java.util.Locale;

/** Kinds of collectives. */
public enum CollectiveKind {
    /** No member leaves before all have entered. */
    BARRIER(1),

    /** The root's bytes reach all. */
    BROADCAST(2),

    /** The contributions of all are combined, and reach the root. */
    REDUCE(3),

    /** The contributions of all are combined, and reach all. */
    ALLREDUCE(4),

    /** The contributions of all are combined, and each member receives its block of the result. */
    REDUCE_SCATTER(5),

    /** Each member receives the combination of the contributions of all members up to itself. */
    SCAN(6),

    /** Each member but the first receives the combination of the contributions of all members before itself. */
    EXCLUSIVE_SCAN(7),

    /** The blocks of all reach the root. */
    GATHER(8),

    /** Each member receives its block of the root's bytes. */
    SCATTER(9),

    /** The blocks of all reach all. */
    ALLGATHER(10),

    /** Each member sends a block to each, itself included. */
    ALL_TO_ALL(11);

    private final int code;

    CollectiveKind(int code) {
        this.code = code;
    }

    /** Returns its number in a {@link Proposal}. */
    int code() {
        return code;
    }

    /** Returns the name of the kind with a number. */
    static String nameOf(long code) {
        for (final CollectiveKind kind : values()) {
            if (kind.code == code) {
                return kind.toString();
            }
        }
        return "step " + code;
    }

    /**
     * Returns the kind of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    static CollectiveKind named(String name) {
        for (final CollectiveKind kind : values()) {
            if (kind.toString().equals(name)) {
                return kind;
            }
        }
        throw new IllegalArgumentException("there is no collective \"" + name + "\"");
    }

    /** Returns true for a collective with a root. */
    public boolean isRooted() {
        return this == BROADCAST || this == REDUCE || this == GATHER || this == SCATTER;
    }

    /** Returns true if elements are combined. */
    public boolean isReduction() {
        return this == REDUCE || this == ALLREDUCE || this == REDUCE_SCATTER || this == SCAN || this == EXCLUSIVE_SCAN;
    }

    /** Returns true if bytes are divided into blocks, one for each member. */
    public boolean isDivided() {
        return this == REDUCE_SCATTER || this == GATHER || this == SCATTER || this == ALLGATHER || this == ALL_TO_ALL;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
