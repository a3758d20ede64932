package org.segno.engine.dma;

/** Peers of a job to which a node has mapped memory; links join it to the others. */
public enum Reach {
    /** Every rank has mapped the memory of every other. */
    MAPPED,

    /** Links join all ranks. */
    LINKED,

    /** Ranks 0 and 1 have mapped each other, ranks 2 and 3 too; links join the two pairs. */
    MIXED;

    private static final int PAIR = 2;

    /** Returns true if {@code rank} has mapped the memory of {@code peer}; its own memory always is. */
    public boolean isMapped(int rank, int peer) {
        return switch (this) {
            case MAPPED -> true;
            case LINKED -> rank == peer;
            case MIXED -> rank / PAIR == peer / PAIR;
        };
    }
}
