package org.segno.engine.fifo;

import java.util.Arrays;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;

/**
 * The reception FIFO of a context. It has one lane per origin engine, so that every lane has one producer. Used by one
 * thread at a time.
 *
 * <p>Every poll checks the lanes with recent records, and a few of the cold lanes in turn. A node with many silent
 * peers therefore does not touch a cache line of each of them.
 */
public final class ReceptionFifo {
    /** Number of lanes up to which no lane becomes cold. */
    private static final int FEW_LANES = 8;

    /**
     * Number of cold lanes checked in one poll, and the minimum number of warm lanes among many. Each check misses the
     * first-level cache, because lanes lie whole pages apart.
     */
    private static final int COLD_LIMIT = 2;

    /** Number of polls without a record after which a lane is cold. */
    private static final int COOLING_POLLS = 1024;

    private final ReceptionFifoConsumer[] lanes;
    private final Memory memory;
    private final long[] nextHeaders;
    private final int[] silentPolls;
    private final int leastWarm;
    private int warm;
    private int nextCold;

    private ReceptionFifo(Memory memory, ReceptionFifoConsumer[] lanes) {
        this.lanes = lanes;
        this.memory = memory;
        nextHeaders = new long[lanes.length];
        silentPolls = new int[lanes.length];
        for (int lane = 0; lane < lanes.length; lane++) {
            nextHeaders[lane] = lanes[lane].nextHeader();
        }
        leastWarm = lanes.length <= FEW_LANES ? lanes.length : COLD_LIMIT;
        warm = leastWarm;
        nextCold = warm;
    }

    /** Returns the reception FIFO of a context. */
    public static ReceptionFifo of(NodeMemory node, int context) {
        final ReceptionFifoConsumer[] lanes =
                new ReceptionFifoConsumer[node.layout().dimensions().lanes()];
        Arrays.setAll(lanes, lane -> ReceptionFifoConsumer.of(node, context, lane));
        return new ReceptionFifo(node.peers(), lanes);
    }

    /** Returns the reception FIFO of a context for the sends of handlers. */
    public static ReceptionFifo ofReplies(NodeMemory node, int context) {
        final ReceptionFifoConsumer[] lanes =
                new ReceptionFifoConsumer[node.layout().dimensions().lanes()];
        Arrays.setAll(lanes, lane -> ReceptionFifoConsumer.ofReplies(node, context, lane));
        return new ReceptionFifo(node.peers(), lanes);
    }

    /** Passes records to {@code handler}, up to {@code limit} from each lane, and returns their number. */
    public int poll(RecordHandler handler, int limit) {
        final Memory words = memory;
        final long[] headers = nextHeaders;
        int count = 0;
        for (int i = 0; i < warm; i++) {
            if (hasNews(words, headers[i])) {
                count += pollLane(i, handler, limit);
                silentPolls[i] = 0;
            } else if (warm > leastWarm && ++silentPolls[i] > COOLING_POLLS) {
                swap(i, --warm);
            }
        }
        return warm == lanes.length ? count : count + pollCold(handler, limit);
    }

    /**
     * Passes all records to {@code handler}, which accepts each, and returns their space. Nothing may be written to the
     * lanes meanwhile.
     */
    public void drain(RecordHandler handler) {
        for (int lane = 0; lane < lanes.length; lane++) {
            lanes[lane].drain(handler);
            nextHeaders[lane] = lanes[lane].nextHeader();
        }
    }

    /** Checks one lane for a record. This is the entire cost of a silent lane. */
    private static boolean hasNews(Memory words, long nextHeader) {
        return words.getLongAcquire(nextHeader) != 0;
    }

    /**
     * Returns true while a lane of {@code origin} contains a record that no poll has removed. A lane in quarantine is
     * never read again, and counts as empty.
     */
    public boolean hasRecordsOf(int origin) {
        for (int lane = 0; lane < lanes.length; lane++) {
            if (lanes[lane].origin() == origin && !lanes[lane].isQuarantined() && hasNews(memory, nextHeaders[lane])) {
                return true;
            }
        }
        return false;
    }

    private int pollLane(int index, RecordHandler handler, int limit) {
        final ReceptionFifoConsumer lane = lanes[index];
        try {
            return lane.poll(handler, limit);
        } finally {
            nextHeaders[index] = lane.nextHeader();
        }
    }

    private int pollCold(RecordHandler handler, int limit) {
        int count = 0;
        for (int looked = 0; looked < COLD_LIMIT && warm < lanes.length; looked++) {
            if (nextCold >= lanes.length || nextCold < warm) {
                nextCold = warm;
            }
            if (hasNews(memory, nextHeaders[nextCold])) {
                final int records = pollLane(nextCold, handler, limit);
                if (records != 0) {
                    count += records;
                    silentPolls[nextCold] = 0;
                    swap(nextCold, warm++);
                }
            }
            nextCold++;
        }
        return count;
    }

    private void swap(int a, int b) {
        final ReceptionFifoConsumer lane = lanes[a];
        lanes[a] = lanes[b];
        lanes[b] = lane;
        final long header = nextHeaders[a];
        nextHeaders[a] = nextHeaders[b];
        nextHeaders[b] = header;
        final int silent = silentPolls[a];
        silentPolls[a] = silentPolls[b];
        silentPolls[b] = silent;
    }
}
