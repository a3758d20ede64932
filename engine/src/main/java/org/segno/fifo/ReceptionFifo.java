package org.segno.fifo;

import java.util.Arrays;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;

/**
 * The reception FIFO of a context: one lane per origin engine, so that every lane has one producer. One thread at a time.
 *
 * <p>Lanes with recent news are looked at in every poll, cold ones a few at a time in turn: a node with many silent peers does
 * not touch a line of each of them.
 */
public final class ReceptionFifo {
    /** Up to so many lanes none is ever cold. */
    private static final int FEW_LANES = 8;

    /**
     * Cold lanes looked at in one poll, and how many of many lanes stay warm at least. Each look misses the first cache: lanes lie whole
     * pages apart.
     */
    private static final int COLD_LIMIT = 2;

    /** Polls without news after which a lane is cold. */
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

    /** The lanes of a context. */
    public static ReceptionFifo of(NodeMemory node, int context) {
        final ReceptionFifoConsumer[] lanes =
                new ReceptionFifoConsumer[node.layout().dimensions().lanes()];
        Arrays.setAll(lanes, lane -> ReceptionFifoConsumer.of(node, context, lane));
        return new ReceptionFifo(node.peers(), lanes);
    }

    /** The lanes of a context for what handlers send. */
    public static ReceptionFifo ofReplies(NodeMemory node, int context) {
        final ReceptionFifoConsumer[] lanes =
                new ReceptionFifoConsumer[node.layout().dimensions().lanes()];
        Arrays.setAll(lanes, lane -> ReceptionFifoConsumer.ofReplies(node, context, lane));
        return new ReceptionFifo(node.peers(), lanes);
    }

    /** Hands records to {@code handler}, up to {@code limit} from each lane; returns how many. */
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

    /** All that a silent lane costs. */
    private static boolean hasNews(Memory words, long nextHeader) {
        return words.getLongAcquire(nextHeader) != 0;
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
