package org.segno.engine.fifo;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
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

    private final @Nullable LinkedLanes linked;
    private final int context;
    private final boolean areReplies;

    /** Memory of all lanes, or null if they lie in several memories, because links reach some origins. */
    private final @Nullable Memory memory;

    private ReceptionFifoConsumer[] lanes;
    private Memory[] memories;
    private long[] nextHeaders;
    private int[] silentPolls;

    /** Number of lanes. */
    private int count;

    private int leastWarm;
    private int warm;
    private int nextCold;

    private ReceptionFifo(
            @Nullable Memory memory,
            ReceptionFifoConsumer[] lanes,
            LinkedLanes linked,
            int context,
            boolean areReplies) {
        this.linked = linked == LinkedLanes.NONE ? null : linked;
        this.memory = this.linked == null ? memory : null;
        this.context = context;
        this.areReplies = areReplies;
        this.lanes = lanes;
        this.memories = new Memory[lanes.length];
        this.nextHeaders = new long[lanes.length];
        this.silentPolls = new int[lanes.length];
        this.count = lanes.length;
        for (int lane = 0; lane < count; lane++) {
            memories[lane] = lanes[lane].memory();
            nextHeaders[lane] = lanes[lane].nextHeader();
        }
        limitWarm();
        this.nextCold = warm;
    }

    /** Returns the reception FIFO of a context in a node that all its peers have mapped. */
    public static ReceptionFifo of(NodeMemory node, int context) {
        return of(node, context, LinkedLanes.NONE);
    }

    /** Returns the reception FIFO of a context. */
    public static ReceptionFifo of(NodeMemory node, int context, LinkedLanes linked) {
        final ReceptionFifoConsumer[] lanes =
                new ReceptionFifoConsumer[node.layout().dimensions().lanes()];
        Arrays.setAll(lanes, lane -> ReceptionFifoConsumer.of(node, context, lane));
        return new ReceptionFifo(node.peers(), lanes, linked, context, false);
    }

    /** Returns the reception FIFO of a context for the sends of handlers. */
    public static ReceptionFifo ofReplies(NodeMemory node, int context, LinkedLanes linked) {
        final ReceptionFifoConsumer[] lanes =
                new ReceptionFifoConsumer[node.layout().dimensions().lanes()];
        Arrays.setAll(lanes, lane -> ReceptionFifoConsumer.ofReplies(node, context, lane));
        return new ReceptionFifo(node.peers(), lanes, linked, context, true);
    }

    /** Passes records to {@code handler}, up to {@code limit} from each lane, and returns their number. */
    public int poll(RecordHandler handler, int limit) {
        follow();
        final Memory words = memory;
        final long[] headers = nextHeaders;
        int records = 0;
        for (int i = 0; i < warm; i++) {
            if (hasNews(words == null ? memories[i] : words, headers[i])) {
                records += pollLane(i, handler, limit);
                silentPolls[i] = 0;
            } else if (warm > leastWarm && ++silentPolls[i] > COOLING_POLLS) {
                swap(i, --warm);
            }
        }
        return warm == count ? records : records + pollCold(handler, limit);
    }

    /**
     * Passes all records to {@code handler}, which accepts each, and returns their space. Nothing may be written to the
     * lanes meanwhile.
     */
    public void drain(RecordHandler handler) {
        follow();
        for (int lane = 0; lane < count; lane++) {
            lanes[lane].drain(handler);
            nextHeaders[lane] = lanes[lane].nextHeader();
        }
    }

    /** Adds and removes lanes of linked origins, as their engines have. */
    private void follow() {
        if (linked != null && linked.hasChanged(context, areReplies)) {
            for (LinkedLanes.Entry entry = linked.next(context, areReplies);
                    entry != null;
                    entry = linked.next(context, areReplies)) {
                if (entry.isRetired()) {
                    remove(entry);
                } else {
                    add(ReceptionFifoConsumer.of(entry.lane(), entry.origin()));
                }
            }
        }
    }

    private void add(ReceptionFifoConsumer lane) {
        if (count == lanes.length) {
            final int length = 2 * count;
            lanes = Arrays.copyOf(lanes, length);
            memories = Arrays.copyOf(memories, length);
            nextHeaders = Arrays.copyOf(nextHeaders, length);
            silentPolls = Arrays.copyOf(silentPolls, length);
        }
        lanes[count] = lane;
        memories[count] = lane.memory();
        nextHeaders[count] = lane.nextHeader();
        silentPolls[count] = 0;
        count++;
        // It has records soon.
        swap(count - 1, warm++);
        limitWarm();
    }

    private void remove(LinkedLanes.Entry entry) {
        for (int i = 0; i < count; i++) {
            if (lanes[i].isAt(entry.lane())) {
                removeAt(i);
                break;
            }
        }
        entry.leave();
    }

    private void removeAt(int index) {
        int at = index;
        if (at < warm) {
            warm--;
            swap(at, warm);
            at = warm;
        }
        count--;
        swap(at, count);
        limitWarm();
    }

    private void limitWarm() {
        leastWarm = count <= FEW_LANES ? count : COLD_LIMIT;
        warm = count <= FEW_LANES ? count : Math.max(warm, COLD_LIMIT);
    }

    /** Returns the number of lanes that a poll may find cold. As many polls without a record poll all of them. */
    public int lanes() {
        return count;
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
        follow();
        for (int lane = 0; lane < count; lane++) {
            if (lanes[lane].origin() == origin
                    && !lanes[lane].isQuarantined()
                    && hasNews(memories[lane], nextHeaders[lane])) {
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
        int records = 0;
        for (int looked = 0; looked < COLD_LIMIT && warm < count; looked++) {
            if (nextCold >= count || nextCold < warm) {
                nextCold = warm;
            }
            if (hasNews(memories[nextCold], nextHeaders[nextCold])) {
                final int found = pollLane(nextCold, handler, limit);
                if (found != 0) {
                    records += found;
                    silentPolls[nextCold] = 0;
                    swap(nextCold, warm++);
                }
            }
            nextCold++;
        }
        return records;
    }

    private void swap(int a, int b) {
        final ReceptionFifoConsumer lane = lanes[a];
        lanes[a] = lanes[b];
        lanes[b] = lane;
        final Memory records = memories[a];
        memories[a] = memories[b];
        memories[b] = records;
        final long header = nextHeaders[a];
        nextHeaders[a] = nextHeaders[b];
        nextHeaders[b] = header;
        final int silent = silentPolls[a];
        silentPolls[a] = silentPolls[b];
        silentPolls[b] = silent;
    }
}
