package org.segno.simulator;

import org.jspecify.annotations.Nullable;
import org.segno.memory.Closing;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Refusal;

/**
 * The window and the counter of each node that are closed and opened again in the mixed workload, so that their ids and
 * their memory are used again, while peers send PUTs to targets of earlier uses. These must land in the use that they
 * name, or be refused as stale.
 */
final class MixedRoom implements MixedPart {
    private final MixedParts parts;
    private final int rank;
    private final int bytes;
    private final InjectionCounter done;
    private final @Nullable Use[] known;
    private @Nullable Closing closingCounter;
    private @Nullable Closing closingWindow;
    private Window window;
    private ReceptionCounter counter;
    private long uses;

    /** The use that the PUT in progress names; null for none. */
    private @Nullable Use named;

    /** True if that use had ended before. */
    private boolean wasClosed;

    MixedRoom(MixedParts parts) {
        this.parts = parts;
        this.rank = parts.rank();
        this.bytes = parts.layout().nodes() * Long.BYTES;
        this.done = parts.node().client().injectionCounter();
        this.known = new Use[parts.layout().nodes()];
        this.window = parts.arena().open(bytes);
        this.counter = open();
    }

    private ReceptionCounter open() {
        if (!ExpectedBytes.isZero(window, 0, bytes)) {
            parts.ledger().defect("a window of rank " + rank + " that was opened again holds other bytes than zeroes");
        }
        final ReceptionCounter opened = parts.node().client().receptionCounter(window, 0, bytes);
        uses++;
        parts.ledger().room(rank, new Use(uses, new Target(rank, opened.id(), opened.incarnation(), bytes, false)));
        return opened;
    }

    /**
     * A use of the counter of a rank.
     *
     * @param number from 1
     */
    record Use(long number, Target target) {}

    /** Sends a PUT to the room of a peer that this node knows, unless another is in progress. */
    boolean put(int peer) {
        final Use use = isIdle() ? known(peer) : null;
        if (use == null) {
            return true;
        }
        final long source = parts.layout().roomSource();
        parts.window().putLong(source, use.number);
        done.expect(Long.BYTES);
        if (parts.context().put(use.target, (long) rank * Long.BYTES, parts.window(), source, Long.BYTES, done) < 0) {
            done.reset();
            return false;
        }
        named = use;
        wasClosed = !use.equals(parts.ledger().room(peer));
        return true;
    }

    /** Returns the use of a peer's counter that this node names: an earlier one until that was refused. */
    private @Nullable Use known(int peer) {
        if (known[peer] == null) {
            known[peer] = parts.ledger().room(peer);
        }
        return known[peer];
    }

    /** Closes the room, or opens it again if that is done. */
    boolean closeOrOpen() {
        final Closing ofCounter = closingCounter;
        final Closing ofWindow = closingWindow;
        if (ofCounter == null || ofWindow == null) {
            check();
            parts.ledger().room(rank, null);
            closingCounter = parts.node().client().close(counter);
            closingWindow = parts.node().client().close(window);
        } else if (ofCounter.isDone() && ofWindow.isDone()) {
            window = parts.arena().open(bytes);
            counter = open();
            closingCounter = null;
            closingWindow = null;
        }
        return true;
    }

    @Override
    public boolean isIdle() {
        final Use use = named;
        if (use == null) {
            return true;
        }
        final long error = done.errorAcquire();
        if (error == 0 && done.valueAcquire() > 0) {
            return false;
        }
        named = null;
        done.reset();
        parts.ledger().checked();
        final int peer = use.target.rank();
        if (error == 0 && wasClosed) {
            parts.ledger().defect("rank " + rank + " has put to a closed room of rank " + peer);
        } else if (error != 0) {
            known[peer] = null;
            final boolean isClosed = !use.equals(parts.ledger().room(peer));
            if (!isClosed || InjectionCounter.code(error) != Refusal.STALE_COUNTER.code()) {
                parts.ledger().failed(rank, peer, "a put to a room: " + InjectionCounter.code(error));
            }
        }
        return true;
    }

    /** Checks that only PUTs to this use of the counter have landed here. */
    @Override
    public void check() {
        parts.ledger().checked();
        if (closingWindow != null) {
            return;
        }
        for (int origin = 0; origin < bytes / Long.BYTES; origin++) {
            final long landed = window.getLong((long) origin * Long.BYTES);
            if (landed != 0 && landed != uses) {
                parts.ledger()
                        .defect("a put of rank " + origin + " to use " + landed + " of a room has landed in use " + uses
                                + " of rank " + rank);
            }
        }
    }
}
