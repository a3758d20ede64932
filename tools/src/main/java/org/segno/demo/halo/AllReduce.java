package org.segno.demo.halo;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.demo.solver.Sums;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.Node;

/**
 * Sums over all ranks by PUTs: every rank writes its values into its slot at every other rank, then adds all slots
 * locally.
 *
 * <p>Two slot sets with one counter each are used in turn. A rank that is one round ahead writes the other set. It
 * cannot be two rounds ahead, because it needs the values of all ranks from the round before.
 *
 * <p>The first sum records the PUTs, all others replay them. Every rank adds the slots in the order of the ranks, so
 * that the sums are equal to the last bit. Used by the thread of the context; allocates nothing after the first sum.
 */
public final class AllReduce implements Sums {
    private static final int SLOT_BYTES = VALUE_COUNT * Double.BYTES;

    /** Distance of slots. Slots have different writers, so they are on separate, not even adjacent, cache lines. */
    private static final int SLOT_STRIDE = 128;

    private static final String NAME = "cg-sums";

    private final Context context;
    private final int rank;
    private final int size;
    private final CounterPair slots;
    private final AtomicBuffer slotBuffer;
    private final Window own;
    private final List<Target> others = new ArrayList<>();
    private final RecordedRound round;

    private AllReduce(Node node, Context context, int patternId) {
        this.context = context;
        this.rank = node.rank();
        this.size = node.size();
        final Client client = node.client();
        final long setBytes = (long) size * SLOT_STRIDE;
        final Window window = client.window(2 * setBytes);
        this.slots = client.counterPair(window, 0, setBytes, setBytes);
        this.slotBuffer = window.buffer();
        this.own = client.window(SLOT_BYTES);
        this.round = new RecordedRound(context, patternId, slots, (size - 1L) * SLOT_BYTES, this::putEverywhere);
    }

    /** Returns the bytes of windows that each rank of a job needs. */
    public static long windowBytes(int size) {
        return (2L * size + 1) * SLOT_STRIDE;
    }

    /** Publishes this rank's slots and attaches to those of the others. Every rank calls this. */
    public static AllReduce open(Node node, Context context, int patternId) {
        final AllReduce reduce = new AllReduce(node, context, patternId);
        node.client().publish(NAME, reduce.slots);
        for (int other = 0; other < reduce.size; other++) {
            if (other != reduce.rank) {
                reduce.others.add(context.attach(other, NAME, RetryingCalls.deadlineNs()));
            }
        }
        return reduce;
    }

    @Override
    public void sum(double[] values) {
        for (int i = 0; i < VALUE_COUNT; i++) {
            own.buffer().putDouble(i * Double.BYTES, values[i]);
        }
        final int set = (int) round.run();
        for (int i = 0; i < VALUE_COUNT; i++) {
            double sum = 0;
            for (int other = 0; other < size; other++) {
                sum += other == rank
                        ? own.buffer().getDouble(i * Double.BYTES)
                        : slotBuffer.getDouble(set + other * SLOT_STRIDE + i * Double.BYTES);
            }
            values[i] = sum;
        }
    }

    /** Returns the number of messages that this rank sends for one sum. */
    public int messageCount() {
        return others.size();
    }

    /** Returns the number of bytes that this rank sends for one sum. */
    public long byteCount() {
        return (long) others.size() * SLOT_BYTES;
    }

    private void putEverywhere() {
        for (final Target other : others) {
            RetryingCalls.put(context, other, (long) rank * SLOT_STRIDE, own, 0, SLOT_BYTES);
        }
    }
}
