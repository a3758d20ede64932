package org.segno.tools.inspect.record;

import org.segno.descriptor.Descriptor;
import org.segno.fifo.LaneRecord;
import org.segno.memory.Memory;
import org.segno.memory.NodeDimensions;
import org.segno.memory.NodeMemory;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** Reception lanes: what waits in each, and the first record of each that cannot be. */
public final class LaneRows {
    private static final int LOOKS = 8;
    private static final String HEADING = "lanes: records are written by the origin's engine, heads by the application";

    private final Table table = Table.of("lanes", "rank", "context", "origin", "head", "records", "bytes", "capacity");
    private final Broken broken;

    /** What is found broken goes to {@code broken}. */
    public LaneRows(Broken broken) {
        this.broken = broken;
    }

    /** What a walk saw. */
    private record Walk(long head, int records, long bytes, String impossible) {}

    /** Looks at every lane of a node. */
    public void look(NodeMemory node) {
        final NodeDimensions d = node.layout().dimensions();
        for (int context = 0; context < d.contexts(); context++) {
            for (int origin = 0; origin < d.size(); origin++) {
                final Walk walk = look(node, context, origin);
                if (walk.head() != 0 || walk.bytes() != 0) {
                    table.row(node.rank(), context, origin, walk.head(), walk.records(), walk.bytes(), d.laneBytes());
                }
                broken.unless(
                        walk.impossible().isEmpty(),
                        node.rank(),
                        "lane of " + origin + " to context " + context,
                        walk.impossible());
            }
        }
    }

    /**
     * Walks from the head on. What lies there stays as it is until the consumer moves that head, so a walk during which it has not
     * moved saw what was there; one that was overtaken is made again, and after some it has seen nothing.
     */
    private static Walk look(NodeMemory node, int context, int origin) {
        final long headOffset = node.laneHeadOffset(context, origin);
        long head = 0;
        for (int look = 0; look < LOOKS; look++) {
            head = node.owner().getLongAcquire(headOffset);
            final Walk walk = walk(node, context, origin, head);
            if (node.owner().getLongAcquire(headOffset) == head) {
                return walk;
            }
        }
        return new Walk(head, 0, 0, "");
    }

    private static Walk walk(NodeMemory node, int context, int origin, long head) {
        final int capacity = node.layout().dimensions().laneBytes();
        final Memory peers = node.peers();
        final long lane = node.laneOffset(context, origin);
        if (head < 0 || head % LaneRecord.ALIGNMENT != 0) {
            return new Walk(head, 0, 0, "head " + head + " is no multiple of " + LaneRecord.ALIGNMENT);
        }
        int records = 0;
        long bytes = 0;
        while (bytes < capacity) {
            final int index = (int) ((head + bytes) & (capacity - 1));
            final long header = peers.getLongAcquire(lane + index);
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
            records += LaneRecord.kind(header) == LaneRecord.PAD ? 0 : 1;
            bytes += LaneRecord.alignedLength(LaneRecord.length(header));
        }
        return new Walk(head, records, bytes, "");
    }

    /** What the consumer holds a header to. */
    private static boolean isPossible(long header, int index, int capacity) {
        final int length = LaneRecord.length(header);
        final int kind = LaneRecord.kind(header);
        if (kind == LaneRecord.PAD) {
            return index != 0 && length == capacity - index;
        }
        final int metadataLength = LaneRecord.metadataLength(header);
        return kind >= LaneRecord.MESSAGE
                && kind <= LaneRecord.FIFO_EVENT
                && metadataLength <= Descriptor.MAX_METADATA_LENGTH
                && length >= LaneRecord.HEADER_LENGTH + metadataLength
                && length <= capacity / 4
                && length <= capacity - index;
    }

    /** Adds the lanes; none of them where one FIFO was asked for. */
    public void addTo(Report report, boolean hidden) {
        if (!hidden) {
            report.add(table.size() == 0 ? "no lane was used" : HEADING, table);
        }
    }
}
