package org.segno.engine.weak;

import org.segno.engine.doorbell.Doorbell;
import org.segno.engine.doorbell.DoorbellRecord;
import org.segno.engine.doorbell.WakeChannel;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.metrics.NodeMetrics;

/**
 * Doorbell of a node on weak memory. A park has no limit: a run in which a ring is missing finds no end.
 *
 * <p>The channel orders no memory. That of the system does, but the orderings of the engine must suffice.
 */
final class WeakDoorbell implements WakeChannel {
    private static final int PIPE_OFFSET = 8;

    private final WeakModel model;
    private final NodeMemory node;
    private final Doorbell doorbell;
    private boolean isRung;

    private WeakDoorbell(WeakModel model, NodeMemory node) {
        this.model = model;
        this.node = node;
        this.doorbell = new Doorbell(new DoorbellRecord(node, 0), this, new NodeMetrics(node));
    }

    /** Makes the doorbell of a node's first context. Called before the node is assembled. */
    static WeakDoorbell make(WeakModel model, NodeMemory node) {
        node.owner().putLong(node.doorbellOffset(0) + PIPE_OFFSET, 1);
        return new WeakDoorbell(model, node);
    }

    Doorbell doorbell() {
        return doorbell;
    }

    @Override
    public void await(long limitNs) {
        while (!isRung) {
            // An access, so that the model counts the steps of a park that does not end.
            node.owner().getLong(0);
            model.pause();
        }
        isRung = false;
    }

    @Override
    public void ring() {
        isRung = true;
    }

    @Override
    public void release() {
        isRung = true;
    }
}
