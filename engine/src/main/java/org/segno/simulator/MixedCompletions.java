package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import org.segno.memory.InjectionCounter;

/**
 * Counters of the operations in progress, one for each peer. They end with success, or with an error if the ranks have
 * lost each other.
 */
final class MixedCompletions implements MixedPart {
    private final MixedParts parts;
    private final InjectionCounter[] counters;

    /** Number of operations in progress by peer. */
    private final int[] open;

    /** Number of the message behind the last one with a completion, by peer; 0 for none. */
    private final long[] sentBefore;

    private final List<Fetched> fetched = new ArrayList<>();
    private int allOpen;

    /** Bytes that a REMOTE_GET brings. */
    private record Fetched(int peer, int from, long into, int length) {}

    MixedCompletions(MixedParts parts) {
        this.parts = parts;
        this.counters = new InjectionCounter[parts.layout().nodes()];
        this.open = new int[counters.length];
        this.sentBefore = new long[counters.length];
        for (int peer = 0; peer < counters.length; peer++) {
            counters[peer] = parts.node().client().injectionCounter();
        }
    }

    /** Begins an operation of some bytes with a peer, and returns the counter that completes it. */
    InjectionCounter expect(int peer, int bytes) {
        counters[peer].expect(bytes);
        open[peer]++;
        allOpen++;
        return counters[peer];
    }

    /** Adds bytes that are compared with those of a peer when they have arrived. */
    void fetched(int peer, int from, long into, int length) {
        fetched.add(new Fetched(peer, from, into, length));
    }

    /** Counts a message whose completion confirms all before a number. */
    void sent(int peer, long before) {
        sentBefore[peer] = before;
    }

    /** Returns true if no operation is in progress. Checks those that have ended. */
    @Override
    public boolean isIdle() {
        if (allOpen == 0) {
            return true;
        }
        for (int peer = 0; peer < counters.length; peer++) {
            if (open[peer] > 0 && counters[peer].errorAcquire() == 0 && counters[peer].valueAcquire() > 0) {
                return false;
            }
        }
        for (int peer = 0; peer < counters.length; peer++) {
            if (open[peer] > 0) {
                end(peer);
            }
        }
        fetched.clear();
        allOpen = 0;
        return true;
    }

    private void end(int peer) {
        final InjectionCounter counter = counters[peer];
        final long error = counter.errorAcquire();
        final Ledger ledger = parts.ledger();
        ledger.checked();
        if (error != 0) {
            ledger.failed(parts.rank(), peer, "an operation: " + InjectionCounter.code(error));
            if (InjectionCounter.rank(error) != peer) {
                ledger.defect("rank " + parts.rank() + " has an error of rank " + InjectionCounter.rank(error)
                        + " with an operation at rank " + peer);
            }
        } else {
            ledger.confirmed(parts.rank(), peer, Ledger.MESSAGES, sentBefore[peer]);
            checkFetched(peer);
        }
        counter.reset();
        open[peer] = 0;
        // Each success confirms only messages of its own operations. Otherwise a later message without bytes, which
        // counts as complete at once, would confirm messages that have failed.
        sentBefore[peer] = 0;
    }

    private void checkFetched(int peer) {
        for (final Fetched one : fetched) {
            if (one.peer == peer
                    && parts.payload()
                                    .mismatch(
                                            parts.window(),
                                            one.into,
                                            ExpectedBytes.ofConstant(peer, one.from),
                                            one.length)
                            >= 0) {
                parts.ledger()
                        .defect("rank " + parts.rank() + " fetched other bytes than rank " + peer + " has at "
                                + one.from);
            }
        }
    }
}
