package org.segno.simulator;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.segno.message.Messenger;
import org.segno.message.ReceivedMessage;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/** Places of the long messages that a node receives in the mixed workload. Some messages are deferred before. */
final class MixedLandings {
    /** One of so many long messages is deferred. */
    private static final int DEFERRALS = 4;

    private final MixedParts parts;
    private final int rank;
    private final Messenger messenger;

    /** True for places of messages that are being fetched. */
    private final boolean[] isTaken = new boolean[MixedLayout.LANDINGS];

    private final Queue<Deferred> deferred = new ArrayDeque<>();
    private int open;

    MixedLandings(MixedParts parts, Messenger messenger) {
        this.parts = parts;
        this.rank = parts.rank();
        this.messenger = messenger;
    }

    /** A message without a place. */
    private record Deferred(long token, int from, long number, int length) {}

    /** Returns true if no message is deferred or being fetched. */
    boolean isIdle() {
        return open == 0;
    }

    /** Gives a long message a place, or defers it. Returns below zero if neither is possible. */
    long receive(ReceivedMessage received, long number, int length) {
        final int from = received.rank();
        if (parts.random().nextInt(DEFERRALS) == 0) {
            final long token = received.defer();
            if (token > 0) {
                deferred.add(new Deferred(token, from, number, length));
                open++;
            }
            return token;
        }
        final int landing = MixedLayout.free(isTaken);
        if (landing < 0) {
            return Status.AGAIN;
        }
        final long at = parts.layout().landing(landing);
        final long status =
                received.into(parts.window(), at, failure -> landed(from, number, new Place(landing, length), failure));
        if (status >= 0) {
            isTaken[landing] = true;
            open++;
        }
        return status;
    }

    /** Gives deferred messages the places that are free. */
    void acceptDeferred() {
        for (Deferred first = deferred.peek(); first != null; first = deferred.peek()) {
            final int landing = MixedLayout.free(isTaken);
            if (landing < 0 || !accept(first, landing)) {
                return;
            }
            isTaken[landing] = true;
            deferred.remove();
        }
    }

    private boolean accept(Deferred one, int landing) {
        final Place place = new Place(landing, one.length);
        return messenger.accept(
                        one.token,
                        parts.window(),
                        parts.layout().landing(landing),
                        failure -> landed(one.from, one.number, place, failure))
                >= 0;
    }

    /** Where a message lands. */
    private record Place(int landing, int length) {}

    private void landed(int from, long number, Place place, @Nullable SegnoException failure) {
        isTaken[place.landing] = false;
        open--;
        if (failure != null) {
            parts.ledger().failed(rank, from, "the fetch of a message: " + failure.getMessage());
        } else if (parts.payload()
                        .mismatch(
                                parts.window(),
                                parts.layout().landing(place.landing),
                                ExpectedBytes.ofMessage(from, number),
                                place.length)
                >= 0) {
            parts.ledger().defect("rank " + rank + " received message " + number + " of rank " + from + " damaged");
        }
    }
}
