package org.segno.tools.inspect.record;

import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.status.Refusal;

/**
 * Positions of one injection FIFO, read once, and checks of its words. Recording and persistent FIFOs are included.
 *
 * @param id number within the node: context after context
 * @param context the context that owns the FIFO
 * @param fifo number within the context
 * @param ordinary number of ordinary FIFOs of each context, that for replies included; the recording and the persistent
 *     FIFO follow them
 * @param metadata settings and status
 * @param offset offset of its settings in the owner's half
 * @param before tail that was read before the head
 * @param head all entries before it have been executed
 * @param tail tail that was read after the head
 * @param capacity number of descriptors or runs that fit, from its settings
 */
public record FifoState(
        int id,
        int context,
        int fifo,
        int ordinary,
        FifoMetadata metadata,
        long offset,
        long before,
        long head,
        long tail,
        long capacity) {
    /** Reads FIFO {@code id} of a node. */
    public static FifoState of(NodeMemory node, int id) {
        final NodeLayout layout = node.layout();
        final int perContext = layout.dimensions().fifos() + 2;
        final int context = id / perContext;
        final FifoMetadata metadata = new FifoMetadata(node, context, id % perContext);
        // The head is read between two tails: it is not before the first tail minus the slots, and not after the second
        // tail.
        final long before = metadata.tailAcquire();
        final long head = metadata.headAcquire();
        final long tail = metadata.tailAcquire();
        final boolean ordinary = id % perContext < layout.dimensions().fifos();
        return new FifoState(
                id,
                context,
                id % perContext,
                layout.dimensions().fifos(),
                metadata,
                layout.offset(Part.FIFO_SETTINGS) + (long) id * NodeLayout.FIFO_SETTINGS_LENGTH,
                before,
                head,
                tail,
                ordinary ? metadata.slots() : layout.dimensions().runSlots());
    }

    /** Returns the FIFO's name in messages. */
    public String where() {
        return "FIFO " + id;
    }

    /** Returns true for a FIFO with a ring of runs: the recording and the persistent one. */
    public boolean hasRuns() {
        return fifo >= ordinary;
    }

    /** Returns the FIFO's name within its context. */
    public String name() {
        return hasRuns() ? (fifo == ordinary ? "recording" : "persistent") : "injection " + fifo;
    }

    /** Returns true if its application has ever activated it. */
    public boolean isUsed() {
        return metadata.isRequested() || metadata.isActive() || head != 0 || tail != 0;
    }

    /** Returns active, inactive, or quarantined by its engine. */
    public String state() {
        return metadata.quarantineAcquire() != 0 ? "quarantined" : metadata.isActive() ? "active" : "inactive";
    }

    /** Returns true while the slot of a position cannot have been reused. */
    public boolean isStill(long position) {
        return metadata.headAcquire() <= position;
    }

    /**
     * Returns the offset in the owner's half of the slot at a position. Valid only if {@link #check} has returned true.
     */
    public long slot(NodeMemory node, long position) {
        final long index = position & (capacity - 1);
        if (!hasRuns()) {
            return metadata.start() + index * NodeLayout.DESCRIPTOR_LENGTH;
        }
        final long ring = context * 2L + (fifo == ordinary ? 0 : 1);
        return node.layout().offset(Part.RUN_RINGS) + (ring * capacity + index) * NodeLayout.RUN_LENGTH;
    }

    /** Reports invalid words. Returns true if the slots may be read. */
    public boolean check(NodeMemory node, Broken broken) {
        final int rank = node.rank();
        final int kind = metadata.kind();
        broken.unless(
                kind == expectedKind() || !isUsed(), rank, where(), "kind " + kind + " must be " + expectedKind());
        final long held = metadata.heldAcquire();
        broken.unless(
                held >= 0 && held <= FifoMetadata.MAX_HELD_RUNS, rank, where(), held + " runs are held at a WAIT");
        final long quarantine = metadata.quarantineAcquire();
        broken.unless(
                quarantine == 0,
                rank,
                where(),
                "quarantined by its engine: " + (quarantine == 0 ? "" : Refusal.reason(quarantine)));
        final boolean placed = hasRuns() || isPlaced(node, broken);
        final boolean ordered = tail >= head && before - head <= capacity && head >= 0;
        broken.unless(
                ordered || (!placed && !isUsed()),
                rank,
                where(),
                "head " + head + ", tail " + tail + ", " + capacity + " slots: tail - head must be 0 to slots");
        return placed && ordered;
    }

    private int expectedKind() {
        if (hasRuns()) {
            return fifo == ordinary ? FifoMetadata.RECORDING : FifoMetadata.PERSISTENT;
        }
        // The last one is for replies, unless it is the only one.
        return fifo > 0 && fifo == ordinary - 1 ? FifoMetadata.REPLY : FifoMetadata.ORDINARY;
    }

    private boolean isPlaced(NodeMemory node, Broken broken) {
        final long first = node.layout().offset(Part.FIFO_SLOTS);
        final long length = node.layout().length(Part.FIFO_SLOTS);
        final long start = metadata.start() - first;
        final boolean placed = capacity > 0
                && Long.bitCount(capacity) == 1
                && start >= 0
                && start % NodeLayout.DESCRIPTOR_LENGTH == 0
                && start <= length - capacity * NodeLayout.DESCRIPTOR_LENGTH;
        broken.unless(
                placed || !isUsed(),
                node.rank(),
                where(),
                capacity + " slots at " + metadata.start() + " are outside the " + length + " bytes of slots at "
                        + first);
        return placed;
    }
}
