package org.segno.multisend;

import org.segno.context.Context;
import org.segno.status.PeerFailedException;

/** The ranks that a multisend cannot do without. One thread; as long as no peer changes, one look at a word that all share. */
final class Partners {
    private final Context context;
    private final int[] ranks;
    private long checkedChanges;

    Partners(Context context, int... ranks) {
        this.context = context;
        this.ranks = ranks;
    }

    /**
     * Checks that all are alive, as far as is known.
     *
     * @throws PeerFailedException if one has died; says what {@code whose} it is a partner of cannot do
     */
    void requireAlive(Object whose) {
        final long changes = context.peerChanges();
        if (changes != checkedChanges) {
            look(whose);
            checkedChanges = changes;
        }
    }

    private void look(Object whose) {
        for (final int rank : ranks) {
            if (context.failure(rank) instanceof PeerFailedException dead) {
                throw new PeerFailedException(
                        rank, dead.getMessage() + "; " + whose + " needs it: close it, and open anew without it");
            }
        }
    }
}
