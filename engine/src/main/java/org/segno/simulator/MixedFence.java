package org.segno.simulator;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;

/** PUTs in the mixed workload that must have landed as soon as they are reported as carried out. */
final class MixedFence {
    private static final int SLOT = 0;
    private static final long NOT_ACCEPTED = -1;

    private final MixedParts parts;
    private final List<Target> targets;
    private final MixedCompletions completions;
    private long position = NOT_ACCEPTED;

    MixedFence(MixedParts parts, List<Target> targets, MixedCompletions completions) {
        this.parts = parts;
        this.targets = targets;
        this.completions = completions;
    }

    /**
     * Draws a PUT of bytes at an offset of the window to a peer. It is attempted until it is carried out, while
     * this node sends nothing else.
     */
    BooleanSupplier put(int peer, long source) {
        final int length = parts.random().nextInt(1, parts.atMost(MixedLayout.SLOT_BYTES) + 1);
        final int first = parts.random().nextInt(256);
        ExpectedBytes.write(parts.window(), source, first, length);
        final InjectionCounter done = completions.expectPut(peer, length);
        final long offset = parts.slot(SLOT);
        return () -> {
            if (position == NOT_ACCEPTED) {
                position = parts.context().put(targets.get(peer), offset, parts.window(), source, length, done);
                if (position < 0) {
                    position = NOT_ACCEPTED;
                    return false;
                }
                completions.put(done, peer, SLOT, source, length);
            }
            if (!parts.context().isCarriedOut(position)) {
                return false;
            }
            position = NOT_ACCEPTED;
            checkLanded(peer, offset, first, length);
            return true;
        };
    }

    private void checkLanded(int peer, long offset, int first, int length) {
        parts.ledger().checked();
        if (!parts.ledger().isLost(parts.rank(), peer)
                && parts.payload().mismatch(parts.ledger().held(peer), offset, first, length) >= 0) {
            parts.ledger()
                    .defect("a put of rank " + parts.rank() + " to rank " + peer
                            + " was carried out, but has not landed");
        }
    }
}
