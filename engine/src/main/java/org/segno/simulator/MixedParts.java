package org.segno.simulator;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.Node;

/**
 * State that the parts of a node's program share in the mixed workload.
 *
 * @param longest length of the longest payload
 * @param fields number of a message and length of its payload, as the program sends them
 */
record MixedParts(
        Node node,
        Context context,
        MixedArena arena,
        Window window,
        int longest,
        MixedLayout layout,
        Ledger ledger,
        EventHash events,
        SplittableRandom random,
        ExpectedBytes payload,
        UnsafeBuffer fields) {
    /** Nodes up to which all communicate with all. */
    private static final int MANY_NODES = 32;

    /** Distance of the ranks with which a node of a larger job communicates. */
    private static final int NEAR = 8;

    static MixedParts of(Node node, int longest, Ledger ledger, EventHash events, SplittableRandom random) {
        final MixedLayout layout = new MixedLayout(node.size());
        final MixedArena arena = new MixedArena(node, ledger);
        return new MixedParts(
                node,
                node.client().context(),
                arena,
                arena.open(layout.windowBytes()),
                longest,
                layout,
                ledger,
                events,
                random,
                new ExpectedBytes(),
                new UnsafeBuffer(new byte[MixedLayout.FIELD_BYTES]));
    }

    int rank() {
        return node.rank();
    }

    /** Returns a length of a payload, or that of the longest one if that is shorter. */
    int atMost(int length) {
        return Math.min(length, longest);
    }

    /** Draws a rank with which this node communicates. */
    int drawPeer() {
        final int nodes = layout.nodes();
        return nodes <= MANY_NODES
                ? random.nextInt(nodes)
                : Math.floorMod(rank() - NEAR + random.nextInt(2 * NEAR + 1), nodes);
    }

    /** Returns true if this node communicates with a rank: in large jobs with few others, and with rank 0. */
    boolean isNear(int peer) {
        final int nodes = layout.nodes();
        final int distance = Math.floorMod(peer - rank(), nodes);
        return nodes <= MANY_NODES || peer == 0 || Math.min(distance, nodes - distance) <= NEAR;
    }

    /** Writes the fields of the next message of a stream. Returns its number. */
    long writeFields(int target, int stream, long length) {
        final long number = ledger.next(rank(), target, stream);
        fields.putLong(0, number);
        fields.putLong(Long.BYTES, length);
        return number;
    }

    /** Counts a PUT of bytes of a window of this node to its slot of a peer. Returns the number of the PUT. */
    long put(int peer, int slot, Window from, long source, int length) {
        from.getBytes(source, ledger.window(peer), (int) layout.slot(rank(), slot), length);
        ledger.landed(peer, Ledger.WINDOW, length);
        return ledger.put(rank(), peer, slot);
    }

    /** Returns the offset of a slot of this node in the window of a peer. */
    long slot(int slot) {
        return layout.slot(rank(), slot);
    }

    /** Returns true if this node has not noticed the loss of a rank. */
    boolean reaches(int peer) {
        return context.failure(peer) == null;
    }
}
