package org.segno.tools.observe;

import java.util.ArrayList;
import java.util.List;
import org.segno.fifo.FifoMetadata;
import org.segno.fifo.LaneRecord;
import org.segno.memory.Memory;
import org.segno.memory.NodeDimensions;
import org.segno.memory.NodeMemory;

/**
 * How full one bounded ring of a node is.
 *
 * @param context the context that it belongs to
 * @param ring {@code injection 0}, {@code recording}, {@code persistent}, {@code lane of 3}
 * @param waiting descriptors, runs, or bytes of records that wait
 * @param capacity the most that fit
 * @param unit of both
 * @param state {@code active}, {@code inactive}, {@code quarantined}
 */
public record FifoFill(int context, String ring, long waiting, long capacity, String unit, String state) {
    private static final double PERCENT = 100;
    private static final int LOOKS = 8;

    /** Percent of the capacity; of impossible words whatever they give, within 0 to 100. */
    public double percent() {
        return capacity <= 0 ? 0 : Math.max(0, Math.min(PERCENT, PERCENT * waiting / capacity));
    }

    /** The injection FIFOs of a node that its application has ever activated. */
    public static List<FifoFill> injection(NodeMemory node) {
        final NodeDimensions d = node.layout().dimensions();
        final List<FifoFill> fills = new ArrayList<>();
        for (int context = 0; context < d.contexts(); context++) {
            for (int fifo = 0; fifo < d.fifos() + 2; fifo++) {
                final FifoMetadata metadata = new FifoMetadata(node, context, fifo);
                if (metadata.isActive() || metadata.isRequested() || metadata.tailAcquire() != 0) {
                    final boolean ordinary = fifo < d.fifos();
                    fills.add(new FifoFill(
                            context,
                            ordinary ? "injection " + fifo : fifo == d.fifos() ? "recording" : "persistent",
                            fill(metadata),
                            ordinary ? metadata.slots() : d.runSlots(),
                            ordinary ? "descriptors" : "runs",
                            state(metadata)));
                }
            }
        }
        return fills;
    }

    /** The head is read first: a tail read after it is never before it, however fast the FIFO runs. */
    private static long fill(FifoMetadata metadata) {
        final long head = metadata.headAcquire();
        return metadata.tailAcquire() - head;
    }

    private static String state(FifoMetadata metadata) {
        return metadata.quarantineAcquire() != 0 ? "quarantined" : metadata.isActive() ? "active" : "inactive";
    }

    /** The reception lanes of a node. */
    public static List<FifoFill> lanes(NodeMemory node) {
        final NodeDimensions d = node.layout().dimensions();
        final List<FifoFill> fills = new ArrayList<>();
        for (int context = 0; context < d.contexts(); context++) {
            for (int origin = 0; origin < d.size(); origin++) {
                fills.add(new FifoFill(
                        context,
                        "lane of " + origin,
                        waiting(node, context, origin),
                        d.laneBytes(),
                        "bytes",
                        "active"));
            }
        }
        return fills;
    }

    /**
     * Bytes of the records from a lane's head on. What lies there stays as it is until the consumer moves that head, so a walk
     * during which it has not moved saw what was there; one that was overtaken is made again, a few times.
     */
    private static long waiting(NodeMemory node, int context, int origin) {
        final long headOffset = node.laneHeadOffset(context, origin);
        final int capacity = node.layout().dimensions().laneBytes();
        long walked = 0;
        for (int look = 0; look < LOOKS; look++) {
            final long head = node.owner().getLongAcquire(headOffset);
            walked = walk(node.peers(), node.laneOffset(context, origin), head, capacity);
            if (node.owner().getLongAcquire(headOffset) == head) {
                break;
            }
        }
        return walked;
    }

    private static long walk(Memory peers, long lane, long head, int capacity) {
        long walked = 0;
        while (walked < capacity) {
            final int index = (int) ((head + walked) & (capacity - 1)) & -LaneRecord.ALIGNMENT;
            final long header = peers.getLongAcquire(lane + index);
            final int length = LaneRecord.length(header);
            if (length < LaneRecord.HEADER_LENGTH || length > capacity - index) {
                break;
            }
            walked += LaneRecord.alignedLength(length);
        }
        return Math.min(walked, capacity);
    }
}
