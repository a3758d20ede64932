package org.segno.multisend;

import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.status.ClosedException;
import org.segno.status.PeerFailedException;

/**
 * The ranks that a multisend needs. Used by one thread. While no peer changes, a check reads one word that all users
 * share.
 */
final class PeerSet {
    private final Context context;
    private final int[] ranks;
    private long checkedChanges;
    private long presentChanges;

    PeerSet(Context context, int... ranks) {
        this.context = context;
        this.ranks = ranks;
    }

    /**
     * Checks that all are alive, as far as is known.
     *
     * @throws PeerFailedException if one has died; the message describes {@code whose}, the multisend that needs it
     */
    void requireAlive(Object whose) {
        final long changes = ContextAccess.peerChanges(context);
        if (changes != checkedChanges) {
            look(whose);
            checkedChanges = changes;
        }
    }

    /**
     * Checks that no rank of the set is known to have left.
     *
     * @param whose multisend that needs the ranks, for the message of the exception
     * @throws ClosedException if one has left; the message names the rank and the multisend
     */
    void requirePresent(Object whose) {
        final long changes = ContextAccess.peerChanges(context);
        if (changes != presentChanges) {
            for (final int rank : ranks) {
                if (context.failure(rank) instanceof ClosedException left) {
                    throw new ClosedException(left.getMessage() + "; " + whose
                            + " needs this rank: close it, and open it without the rank");
                }
            }
            presentChanges = changes;
        }
    }

    private void look(Object whose) {
        for (final int rank : ranks) {
            if (context.failure(rank) instanceof PeerFailedException dead) {
                throw new PeerFailedException(
                        rank,
                        dead.getMessage() + "; " + whose + " needs this rank: close it, and open it without the rank");
            }
        }
    }
}
