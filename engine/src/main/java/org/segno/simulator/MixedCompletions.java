package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import org.segno.memory.InjectionCounter;

/**
 * Counters of the operations in progress, two for each peer: one for all kinds, and one for PUTs alone, so that no
 * operation that has failed hides a PUT of which the success is false. They end with success, or with an error if the
 * ranks have lost each other.
 */
final class MixedCompletions implements MixedPart {
    private final MixedParts parts;
    private final int nodes;

    /** By peer, and behind those the counters of PUTs by peer. */
    private final InjectionCounter[] counters;

    /** Number of operations in progress by counter. */
    private final int[] open;

    /** Number of the message behind the last one with a completion, by peer; 0 for none. */
    private final long[] sentBefore;

    /** True for peers of which words are changed. */
    private final boolean[] changed;

    private final List<Fetched> fetched = new ArrayList<>();
    private final List<Put> puts = new ArrayList<>();
    private int allOpen;

    /** Bytes that a REMOTE_GET brings. */
    private record Fetched(int peer, int from, long into, int length) {}

    /** The bytes that a PUT writes to a slot of a peer. */
    private record Put(InjectionCounter done, int slot, long number, int length) {}

    MixedCompletions(MixedParts parts) {
        this.parts = parts;
        this.nodes = parts.layout().nodes();
        this.counters = new InjectionCounter[counters(nodes)];
        this.open = new int[counters.length];
        this.sentBefore = new long[nodes];
        this.changed = new boolean[nodes];
        for (int i = 0; i < counters.length; i++) {
            counters[i] = parts.node().client().injectionCounter();
        }
    }

    /** Returns the number of counters of a node. */
    static int counters(int nodes) {
        return 2 * nodes;
    }

    /** Begins an operation of some bytes with a peer, and returns the counter that completes it. */
    InjectionCounter expect(int peer, int bytes) {
        counters[peer].expect(bytes);
        open[peer]++;
        allOpen++;
        return counters[peer];
    }

    /** Begins a PUT of some bytes to a peer, and returns the counter that completes it: either of both. */
    InjectionCounter expectPut(int peer, int bytes) {
        return expect(parts.random().nextBoolean() ? peer : nodes + peer, bytes);
    }

    /** Adds bytes that are compared with those of a peer when they have arrived. */
    void fetched(int peer, int from, long into, int length) {
        fetched.add(new Fetched(peer, from, into, length));
    }

    /** Counts a PUT of bytes of this node's window to a slot of a peer. They must have landed when it is done. */
    void put(InjectionCounter done, int peer, int slot, long source, int length) {
        puts.add(new Put(done, slot, parts.put(peer, slot, parts.window(), source, length), length));
    }

    /** Counts a change of this node's word at a peer, which must be made at its completion. */
    void changed(int peer) {
        changed[peer] = true;
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
        for (int i = 0; i < counters.length; i++) {
            if (open[i] > 0 && counters[i].errorAcquire() == 0 && counters[i].valueAcquire() > 0) {
                return false;
            }
        }
        for (int peer = 0; peer < nodes; peer++) {
            if (open[peer] > 0) {
                end(peer);
            }
            if (open[nodes + peer] > 0 && hasSucceeded(nodes + peer, peer)) {
                checkPuts(nodes + peer, peer);
            }
        }
        fetched.clear();
        puts.clear();
        allOpen = 0;
        return true;
    }

    private void end(int peer) {
        if (hasSucceeded(peer, peer)) {
            parts.ledger().confirmed(parts.rank(), peer, Ledger.MESSAGES, sentBefore[peer]);
            checkFetched(peer);
            checkPuts(peer, peer);
            if (changed[peer]) {
                parts.ledger().checkLanded(parts.rank(), peer, parts.layout().word(parts.rank()), Long.BYTES);
            }
        }
        // Each success confirms only messages of its own operations. Otherwise a later message without bytes, which
        // counts as complete at once, would confirm messages that have failed.
        sentBefore[peer] = 0;
        changed[peer] = false;
    }

    /** Checks the PUTs of a counter to a peer, which have succeeded. */
    private void checkPuts(int index, int peer) {
        for (final Put put : puts) {
            if (put.done == counters[index]) {
                parts.ledger().checkPut(parts.rank(), peer, put.slot, put.number, put.length);
            }
        }
    }

    /** Ends the operations of a counter with a peer. Returns true if they have succeeded. */
    private boolean hasSucceeded(int index, int peer) {
        final long error = counters[index].errorAcquire();
        final Ledger ledger = parts.ledger();
        ledger.checked();
        if (error != 0) {
            ledger.failed(parts.rank(), peer, "an operation: " + InjectionCounter.code(error));
            if (InjectionCounter.rank(error) != peer) {
                ledger.defect("rank " + parts.rank() + " has an error of rank " + InjectionCounter.rank(error)
                        + " with an operation at rank " + peer);
            }
        }
        counters[index].reset();
        open[index] = 0;
        return error == 0;
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
