package org.segno.simulator;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.multisend.Multicast;
import org.segno.status.SegnoException;

/**
 * The multicast of a node in the mixed workload, to a few ranks. Its first start records it, later ones replay it, and
 * another length of its payload records it again. Its call-back runs once for each start.
 */
final class MixedMulticast implements MixedPart {
    private static final int MOST_PEERS = 7;

    /** One of so many starts has another length. */
    private static final int CHANGES = 3;

    private final MixedParts parts;
    private final int rank;
    private int[] peers;
    private @Nullable Multicast multicast;
    private int length;
    private long started;
    private long ended;

    MixedMulticast(MixedParts parts) {
        this.parts = parts;
        this.rank = parts.rank();
        final int nodes = parts.layout().nodes();
        final int first = parts.drawPeer();
        final int count = parts.random().nextInt(1, Math.min(nodes, MOST_PEERS) + 1);
        this.peers = IntStream.range(first, first + count)
                .map(peer -> peer % nodes)
                .filter(parts::isNear)
                .toArray();
    }

    /** Draws a start. It is attempted until it is accepted. */
    BooleanSupplier start() {
        final int drawn = parts.random().nextInt(CHANGES) == 0
                ? parts.random().nextInt(parts.atMost(MixedLayout.MULTICAST_BYTES) + 1)
                : length;
        return () -> attempt(drawn);
    }

    private boolean attempt(int bytes) {
        if (peers.length == 0) {
            return true;
        }
        final Multicast known = multicast;
        if (known != null && !known.isComplete()) {
            return false;
        }
        final Multicast open = known == null ? open() : known;
        final long number = write(bytes);
        final long at = parts.layout().multicast();
        open.payload(parts.window(), at + MixedLayout.FIELD_BYTES, bytes);
        length = bytes;
        try {
            if (open.start() < 0) {
                return false;
            }
        } catch (final SegnoException e) {
            parts.ledger().failedPattern(rank, peers, "multicast " + number + ": " + e);
            forget();
            return true;
        }
        started++;
        for (final int peer : peers) {
            parts.ledger().sent(rank, peer, Ledger.MULTICAST);
        }
        return true;
    }

    private Multicast open() {
        final long[] endpoints = Arrays.stream(peers)
                .mapToLong(peer -> Endpoint.of(peer, 0, 0, 0))
                .toArray();
        final Multicast opened = new Multicast(parts.context(), MixedReceiver.MULTICAST, parts.window(), endpoints)
                .metadata(parts.window(), parts.layout().multicast(), MixedLayout.FIELD_BYTES);
        final int[] its = peers;
        opened.onComplete(failure -> onComplete(its, failure));
        multicast = opened;
        return opened;
    }

    /** Writes the next message and returns its number, which is the same for all peers. */
    private long write(int bytes) {
        final Window window = parts.window();
        final long at = parts.layout().multicast();
        final long number = parts.ledger().next(rank, peers[0], Ledger.MULTICAST);
        window.putLong(at, number);
        window.putLong(at + Long.BYTES, bytes);
        ExpectedBytes.write(window, at + MixedLayout.FIELD_BYTES, ExpectedBytes.ofMessage(rank, number), bytes);
        return number;
    }

    private void onComplete(int[] its, @Nullable SegnoException failure) {
        ended++;
        if (failure != null) {
            parts.ledger().failedPattern(rank, its, "a multicast: " + failure);
        }
    }

    /** Closes the multicast. The next one goes to the ranks that are left. */
    private void forget() {
        final Multicast known = multicast;
        if (known != null) {
            known.close();
            multicast = null;
        }
        peers = Arrays.stream(peers).filter(parts::reaches).toArray();
    }

    /** Returns true if nothing is in progress, and each start has ended once. */
    @Override
    public boolean isIdle() {
        final Multicast known = multicast;
        return ended == started && (known == null || known.isComplete());
    }

    @Override
    public void check() {
        if (ended > started) {
            parts.ledger().defect("rank " + rank + " completed " + ended + " of " + started + " multicasts");
        }
    }
}
