package org.segno.simulator;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.operation.Notification;

/** PUTs that notify a handler in the mixed workload: once each, in order, after the last byte. */
final class MixedNotices {
    /** The slot of each pair of ranks for these PUTs. */
    static final int SLOT = MixedPattern.SLOT + 1;

    private static final int NOTICE = 6;
    private static final int SHORTEST = 1;

    private final MixedParts parts;
    private final List<Target> targets;
    private final MixedCompletions completions;
    private final int counter;
    private final Notification notification = new Notification();

    /** Creates the PUTs to the counters of all ranks, and the handler of those to the own one, of an id. */
    MixedNotices(MixedParts parts, List<Target> targets, MixedCompletions completions, int counter) {
        this.parts = parts;
        this.targets = targets;
        this.completions = completions;
        this.counter = counter;
        parts.context().notified(NOTICE, this::onLanded);
    }

    private int length(long number) {
        return SHORTEST + (int) (number * 37 % parts.atMost(MixedLayout.SLOT_BYTES - SHORTEST));
    }

    /**
     * Draws a PUT of bytes at an offset of the window to a peer. It is attempted until it is accepted. Its
     * receiver has been notified of the one before it, or there is none.
     */
    BooleanSupplier put(int peer, long source) {
        final long number = parts.ledger().next(parts.rank(), peer, Ledger.NOTICES);
        if (parts.ledger().due(parts.rank(), peer, Ledger.NOTICES) != number) {
            return () -> true;
        }
        final int length = length(number);
        ExpectedBytes.write(parts.window(), source, ExpectedBytes.ofMessage(parts.rank(), number), length);
        final InjectionCounter done = completions.expectPut(peer, length);
        notification.at(NOTICE).completes(done);
        final long offset = parts.slot(SLOT);
        return () -> {
            if (parts.context().putNotifying(targets.get(peer), offset, parts.window(), source, length, notification)
                    < 0) {
                return false;
            }
            completions.put(done, peer, SLOT, source, length);
            parts.ledger().sent(parts.rank(), peer, Ledger.NOTICES);
            return true;
        };
    }

    private void onLanded(long origin, int landed, long offset, long length) {
        final int from = Endpoint.task(origin);
        final long number = parts.ledger().due(from, parts.rank(), Ledger.NOTICES);
        parts.ledger().received(from, parts.rank(), Ledger.NOTICES, number);
        if (landed != counter || offset != parts.layout().slot(from, SLOT) || length != length(number)) {
            parts.ledger()
                    .defect("rank " + parts.rank() + " was notified of put " + number + " of rank " + from + " with "
                            + length + " bytes at " + offset + " of counter " + landed);
        } else if (parts.payload().mismatch(parts.window(), offset, ExpectedBytes.ofMessage(from, number), (int) length)
                >= 0) {
            parts.ledger()
                    .defect("rank " + parts.rank() + " was notified of put " + number + " of rank " + from
                            + " before it was whole");
        }
    }
}
