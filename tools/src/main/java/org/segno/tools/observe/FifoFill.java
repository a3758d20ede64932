package org.segno.tools.observe;

import java.util.ArrayList;
import java.util.List;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;

/**
 * Fill level of one bounded ring of a node.
 *
 * @param context the context that owns the ring
 * @param ring {@code injection 0}, {@code recording}, {@code persistent}, {@code lane of 3}, {@code lane of 3 engine
 *     1}
 * @param waiting number of waiting descriptors or runs, or bytes of waiting records
 * @param capacity the most that fit
 * @param unit unit of {@code waiting} and {@code capacity}
 * @param state {@code active}, {@code inactive}, {@code quarantined}
 */
public record FifoFill(int context, String ring, long waiting, long capacity, String unit, String state) {
    private static final double PERCENT = 100;
    private static final int ATTEMPTS = 8;

    /** Returns the fill as percent of the capacity. The result is within 0 and 100, even for invalid words. */
    public double percent() {
        return capacity <= 0 ? 0 : Math.max(0, Math.min(PERCENT, PERCENT * waiting / capacity));
    }

    /** Returns the fill of each injection FIFO that the application has ever activated. */
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

    /**
     * Returns the number of waiting entries. The head is read first: a tail that is read after it is never before it,
     * even while the FIFO moves.
     */
    private static long fill(FifoMetadata metadata) {
        final long head = metadata.headAcquire();
        return metadata.tailAcquire() - head;
    }

    private static String state(FifoMetadata metadata) {
        return metadata.quarantineAcquire() != 0 ? "quarantined" : metadata.isActive() ? "active" : "inactive";
    }

    /** Returns the fill of each reception lane of a node. */
    public static List<FifoFill> lanes(NodeMemory node) {
        final NodeDimensions d = node.layout().dimensions();
        final List<FifoFill> fills = new ArrayList<>();
        for (int context = 0; context < d.contexts(); context++) {
            for (int lane = 0; lane < d.lanes(); lane++) {
                final String engine = d.engines() == 1 ? "" : " engine " + node.engineOf(lane);
                fills.add(new FifoFill(
                        context,
                        "lane of " + node.originOf(lane) + engine,
                        waiting(node, context, lane),
                        d.laneBytes(),
                        "bytes",
                        "active"));
            }
        }
        return fills;
    }

    /**
     * Returns the bytes of the records from a lane's head on.
     *
     * <p>The records stay unchanged until the consumer moves the head. Therefore a walk is valid if the head has not
     * moved during it. A walk that was overtaken is repeated a few times.
     */
    private static long waiting(NodeMemory node, int context, int lane) {
        final long headOffset = node.laneHeadOffset(context, lane);
        final int capacity = node.layout().dimensions().laneBytes();
        long walked = 0;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            final long head = node.owner().getLongAcquire(headOffset);
            walked = walk(node.peers(), node.laneOffset(context, lane), head, capacity);
            if (node.owner().getLongAcquire(headOffset) == head) {
                break;
            }
        }
        return walked;
    }

    private static long walk(Memory peers, long lane, long head, int capacity) {
        long walked = 0;
        while (walked < capacity) {
            final int index = LaneRecord.alignedBefore((int) ((head + walked) & (capacity - 1)));
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
