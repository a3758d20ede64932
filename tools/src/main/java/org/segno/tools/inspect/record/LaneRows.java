package org.segno.tools.inspect.record;

import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** Rows of reception lanes with their waiting records, and the first invalid record of each. */
public final class LaneRows {
    private static final int ATTEMPTS = 8;
    private static final String HEADING = "lanes: records are written by the origin's engine, heads by the application";

    private final Table table =
            Table.of("lanes", "rank", "context", "origin", "engine", "head", "records", "bytes", "capacity");
    private final Broken broken;

    /** Creates an empty table. Invalid values are added to {@code broken}. */
    public LaneRows(Broken broken) {
        this.broken = broken;
    }

    /** Result of one walk over a lane. */
    private record Walk(long head, int records, long bytes, String impossible) {}

    /** Reads and checks every lane of a node. */
    public void look(NodeMemory node) {
        final NodeDimensions d = node.layout().dimensions();
        for (int context = 0; context < d.contexts(); context++) {
            for (int lane = 0; lane < d.lanes(); lane++) {
                final Walk walk = look(node, context, lane);
                final int origin = node.originOf(lane);
                final int engine = node.engineOf(lane);
                if (walk.head() != 0 || walk.bytes() != 0) {
                    table.row(
                            node.rank(),
                            context,
                            origin,
                            engine,
                            walk.head(),
                            walk.records(),
                            walk.bytes(),
                            d.laneBytes());
                }
                broken.unless(
                        walk.impossible().isEmpty(),
                        node.rank(),
                        "lane of " + origin + ", engine " + engine + ", to context " + context,
                        walk.impossible());
            }
        }
    }

    /**
     * Walks over the records from the head on.
     *
     * <p>The records stay unchanged until the consumer moves the head. Therefore a walk is valid if the head has not
     * moved during it. A walk that was overtaken is repeated; after several attempts the result is empty.
     */
    private static Walk look(NodeMemory node, int context, int lane) {
        final long headOffset = node.laneHeadOffset(context, lane);
        long head = 0;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            head = node.owner().getLongAcquire(headOffset);
            final Walk walk = walk(node, context, lane, head);
            if (node.owner().getLongAcquire(headOffset) == head) {
                return walk;
            }
        }
        return new Walk(head, 0, 0, "");
    }

    private static Walk walk(NodeMemory node, int context, int lane, long head) {
        final int capacity = node.layout().dimensions().laneBytes();
        final Memory peers = node.peers();
        final long start = node.laneOffset(context, lane);
        if (head < 0 || !LaneRecord.isAligned(head)) {
            return new Walk(head, 0, 0, "head " + head + " is not a multiple of " + LaneRecord.ALIGNMENT);
        }
        int records = 0;
        long bytes = 0;
        while (bytes < capacity) {
            final int index = (int) ((head + bytes) & (capacity - 1));
            final long header = peers.getLongAcquire(start + index);
            if (header == 0) {
                break;
            }
            if (!isPossible(header, index, capacity)) {
                return new Walk(
                        head,
                        records,
                        bytes,
                        "position " + (head + bytes) + ": record header " + Long.toHexString(header));
            }
            final int kind = LaneRecord.kind(header);
            records += kind == LaneRecord.PAD || kind == LaneRecord.ORIGIN ? 0 : 1;
            bytes += LaneRecord.alignedLength(LaneRecord.length(header));
        }
        return new Walk(head, records, bytes, "");
    }

    /** Returns true if the consumer would accept the header. */
    private static boolean isPossible(long header, int index, int capacity) {
        final int length = LaneRecord.length(header);
        if (LaneRecord.kind(header) == LaneRecord.PAD) {
            return index != 0 && length == capacity - index;
        }
        return LaneRecord.isPossible(header) && length <= capacity / 4 && length <= capacity - index;
    }

    /** Adds the lanes, or nothing if a single FIFO was selected. */
    public void addTo(Report report, boolean hidden) {
        if (!hidden) {
            report.add(table.size() == 0 ? "no lanes in use" : HEADING, table);
        }
    }
}
