package org.segno.simulator;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.Node;

/**
 * What the parts of the program of a node share in the mixed workload.
 *
 * @param fields number of a message and length of its payload, as the program sends them
 */
record MixedParts(
        Node node,
        Context context,
        Window window,
        MixedLayout layout,
        Ledger ledger,
        EventHash events,
        SplittableRandom random,
        Payload payload,
        UnsafeBuffer fields) {
    static MixedParts of(Node node, Ledger ledger, EventHash events, SplittableRandom random) {
        final MixedLayout layout = new MixedLayout(node.size());
        return new MixedParts(
                node,
                node.client().context(),
                node.client().window(layout.windowBytes()),
                layout,
                ledger,
                events,
                random,
                new Payload(),
                new UnsafeBuffer(new byte[MixedLayout.FIELD_BYTES]));
    }

    int rank() {
        return node.rank();
    }

    /** Writes the fields of the next message of a stream. Returns its number. */
    long writeFields(int target, int stream, long length) {
        final long number = ledger.next(rank(), target, stream);
        fields.putLong(0, number);
        fields.putLong(Long.BYTES, length);
        return number;
    }

    /** Counts a PUT of bytes of this node's window to a peer. */
    void put(int peer, long offset, long source, int length) {
        window.getBytes(source, ledger.window(peer), (int) offset, length);
        ledger.landed(peer, length);
    }

    /** Returns true if this node has not noticed the loss of a rank. */
    boolean reaches(int peer) {
        return context.failure(peer) == null;
    }
}
