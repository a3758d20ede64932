package org.segno.tools.journal;

/**
 * Place where the journal of a rank ends, and why.
 *
 * @param state why it ends
 * @param records records before that place
 * @param place file and offset, as {@code rank-0/20261126F.cq4:65808}
 * @param reason description for people
 */
public record JournalEnd(State state, long records, String place, String reason) {
    /** Reason for the end. */
    public enum State {
        /** The rank has closed its node: nothing is missing. */
        COMPLETE,

        /** There is no last record: the rank still runs, or its process has ended without closing its node. */
        OPEN,

        /** A record is damaged. Nothing behind it is passed on. */
        DAMAGED
    }
}
