package org.segno.simulator;

import org.agrona.DirectBuffer;
import org.segno.geometry.Endpoint;
import org.segno.status.Status;

/** Receives and checks the messages of the mixed workload that contexts send. */
final class MixedReceiver {
    static final int MESSAGE = 1;
    static final int REQUEST = 2;
    static final int REPLY = 3;
    static final int REPLAYED = 4;
    static final int MULTICAST = 5;

    /** One of so many requests is not accepted at once. */
    private static final int REFUSALS = 16;

    private final MixedParts parts;
    private final boolean mayHold;
    private final int rank;

    /** Creates the handlers of a node, which may hold single origins. */
    MixedReceiver(MixedParts parts, boolean mayHold) {
        this.parts = parts;
        this.mayHold = mayHold;
        this.rank = parts.rank();
        parts.context().handler(MESSAGE, this::onMessage);
        parts.context().handler(REPLAYED, this::onReplayed);
        parts.context().handler(MULTICAST, this::onMulticast);
        parts.context().handler(REPLY, this::onReply);
        parts.context().replyingHandler(REQUEST, this::onRequest);
    }

    private void onMessage(
            long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int length) {
        // An immediate send carries its bytes as payload.
        final boolean isImmediate = metadataLength == 0;
        check(
                origin,
                Ledger.MESSAGES,
                buffer,
                new Place(isImmediate ? payload : metadata, payload, isImmediate ? 0 : length));
    }

    private void onReplayed(
            long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int length) {
        check(origin, Ledger.REPLAYED, buffer, new Place(metadata, payload, length));
    }

    private void onMulticast(
            long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int length) {
        check(origin, Ledger.MULTICAST, buffer, new Place(metadata, payload, length));
    }

    /** Where a message lies. */
    private record Place(int fields, int payload, int length) {}

    private void check(long origin, int stream, DirectBuffer buffer, Place place) {
        final int from = Endpoint.task(origin);
        final long number = buffer.getLong(place.fields);
        final long length = buffer.getLong(place.fields + Long.BYTES);
        parts.ledger().received(from, rank, stream, number);
        if (length != place.length) {
            parts.ledger()
                    .defect("rank " + rank + " received " + place.length + " of " + length + " bytes of message "
                            + number + " of rank " + from);
        } else if (parts.payload().mismatch(buffer, place.payload, ExpectedBytes.ofMessage(from, number), place.length)
                >= 0) {
            parts.ledger().defect("rank " + rank + " received message " + number + " of rank " + from + " damaged");
        }
    }

    private long onRequest(
            long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int length) {
        final int from = Endpoint.task(origin);
        final HeldOrigin held = parts.ledger().heldOrigin();
        if (mayHold && parts.random().nextInt(REFUSALS) == 0) {
            held.begin(rank, from, parts.drawPeer());
        }
        if (held.holds(rank, from)) {
            return Status.AGAIN;
        }
        parts.writeFields(from, Ledger.REPLIES, 0);
        final long status = parts.context().sendImmediate(origin, REPLY, parts.fields(), 0, MixedLayout.FIELD_BYTES);
        if (status >= 0) {
            parts.ledger().sent(rank, from, Ledger.REPLIES);
            parts.ledger().received(from, rank, Ledger.MESSAGES, buffer.getLong(payload));
        }
        return status;
    }

    private void onReply(long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int length) {
        parts.ledger().received(Endpoint.task(origin), rank, Ledger.REPLIES, buffer.getLong(payload));
    }
}
