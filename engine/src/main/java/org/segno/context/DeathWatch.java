package org.segno.context;

import java.util.BitSet;
import org.segno.engine.memory.PeerStates;
import org.segno.operation.DeathHandler;

/**
 * Notifier of one handler about the deaths of other ranks. Used by the thread that holds the context.
 *
 * <p>Data come before death: a rank is reported once its lanes into the context are empty. The state of a rank is
 * released after its process has ended, so that no record follows an empty lane.
 */
final class DeathWatch {
    private final PeerStates states;
    private final int self;
    private final Reception reception;
    private final DeathHandler handler;
    private final BitSet reported = new BitSet();

    /** Count of changes at the last complete check. While it is zero, no rank has died. */
    private long checkedChanges;

    DeathWatch(PeerStates states, int self, Reception reception, DeathHandler handler) {
        this.states = states;
        this.self = self;
        this.reception = reception;
        this.handler = handler;
    }

    /** Returns true if a rank may have died that is not reported yet. */
    boolean isPending() {
        return states.changesAcquire() != checkedChanges;
    }

    /**
     * Reports at most one dead rank whose records have been delivered, and returns their number. One at a time, because
     * the handler may register another one, which replaces this watch.
     */
    int poll() {
        // Read before the states: a change during the search is found by the next one.
        final long changes = states.changesAcquire();
        boolean awaitsRecords = false;
        for (int rank = 0; rank < states.size(); rank++) {
            if (rank == self || reported.get(rank) || !states.isDead(rank)) {
                continue;
            }
            if (reception.hasRecordsOf(rank)) {
                awaitsRecords = true;
            } else {
                // Set before the call, so that a handler that throws is not called again for this rank.
                reported.set(rank);
                handler.onDeath(rank);
                return 1;
            }
        }
        if (!awaitsRecords) {
            checkedChanges = changes;
        }
        return 0;
    }
}
