package org.segno.contract;

import java.util.Locale;
import org.segno.engine.dma.Reach;

/** Two ranks between which a behaviour is tested, in a job whose nodes reach each other in one way. */
enum Pairing {
    MAPPED(Reach.MAPPED, 0, 1, 1),
    LINKED(Reach.LINKED, 0, 1, 1),

    /** Two ranks of one group of a mixed job. */
    INSIDE(Reach.MIXED, 0, 1, 1),

    /** Two ranks of different groups of a mixed job. */
    ACROSS(Reach.MIXED, 1, 2, 1),

    /** Nodes with two engines each, among which their FIFOs are divided. */
    MAPPED_TWO(Reach.MAPPED, 0, 1, 2),
    LINKED_TWO(Reach.LINKED, 0, 1, 2),
    ACROSS_TWO(Reach.MIXED, 1, 2, 2);

    private final Reach reach;
    private final int from;
    private final int to;
    private final int engines;

    Pairing(Reach reach, int from, int to, int engines) {
        this.reach = reach;
        this.from = from;
        this.to = to;
        this.engines = engines;
    }

    Reach reach() {
        return reach;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    /** Returns the number of engines of each node. */
    int engines() {
        return engines;
    }

    /** Returns true if a link joins the two ranks; or any two ranks, if a behaviour concerns {@code all}. */
    boolean isLinked(boolean all) {
        return all ? reach != Reach.MAPPED : !reach.isMapped(from, to);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
