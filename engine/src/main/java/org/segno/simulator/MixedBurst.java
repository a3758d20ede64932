package org.segno.simulator;

import org.agrona.DirectBuffer;
import org.segno.geometry.Endpoint;
import org.segno.operation.Message;

/**
 * Bursts of long requests in the mixed workload, which two ranks send each other at the same time until their lanes,
 * links and FIFOs are full in both directions. The handler of each request replies, so that both ranks have replies to
 * send while nothing but replies can go on.
 */
final class MixedBurst implements MixedPart {
    private static final int REQUEST = 7;

    /** One of so many draws begins a burst. */
    private static final int RARITY = 4;

    private final MixedParts parts;
    private final int rank;
    private final int payloadBytes;
    private final Message message = new Message();

    MixedBurst(MixedParts parts) {
        this.parts = parts;
        this.rank = parts.rank();
        this.payloadBytes = parts.atMost(MixedLayout.LONGEST_MESSAGE - MixedLayout.FIELD_BYTES);
        parts.context().replyingHandler(REQUEST, this::onRequest);
    }

    /** Begins a burst with a peer, seldom, unless there is one. */
    boolean draw(int peer) {
        if (parts.random().nextInt(RARITY) == 0) {
            parts.ledger().burst().begin(rank, peer);
        }
        return true;
    }

    /** Sends the next request of a burst. Returns false if there is none, or while that is not possible. */
    boolean send() {
        final int peer = parts.ledger().burst().peer(rank);
        if (peer < 0) {
            return false;
        }
        parts.writeFields(peer, Ledger.MESSAGES, payloadBytes);
        message.to(peer, REQUEST)
                .metadata(parts.fields(), 0, MixedLayout.FIELD_BYTES)
                .payload(parts.window(), parts.layout().constant(), payloadBytes);
        if (parts.context().send(message) < 0) {
            return false;
        }
        parts.ledger().sent(rank, peer, Ledger.MESSAGES);
        parts.ledger().burst().sent(rank);
        return true;
    }

    /** Sends no further requests. */
    void stop() {
        parts.ledger().burst().end(rank);
    }

    @Override
    public boolean isIdle() {
        return parts.ledger().burst().peer(rank) < 0;
    }

    private long onRequest(
            long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int length) {
        final int from = Endpoint.task(origin);
        parts.writeFields(from, Ledger.REPLIES, 0);
        final long status =
                parts.context().sendImmediate(origin, MixedReceiver.REPLY, parts.fields(), 0, MixedLayout.FIELD_BYTES);
        if (status < 0) {
            return status;
        }
        parts.ledger().sent(rank, from, Ledger.REPLIES);
        parts.ledger().received(from, rank, Ledger.MESSAGES, buffer.getLong(metadata));
        if (length != buffer.getLong(metadata + Long.BYTES)
                || parts.payload().mismatch(buffer, payload, ExpectedBytes.ofConstant(from, 0), length) >= 0) {
            parts.ledger().defect("rank " + rank + " received a request of a burst of rank " + from + " damaged");
        }
        return status;
    }
}
