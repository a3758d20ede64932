package org.segno.demo.halo;

import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.demo.matrix.HaloPlan;
import org.segno.demo.solver.Ghosts;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.Node;

/**
 * Exchange of ghosts by PUTs into the neighbours' windows: one message to each neighbour, recorded by the first
 * exchange, replayed by all others.
 *
 * <p>Ghosts arrive in two sets with one counter each, used in turn. Two sets suffice because every neighbour that
 * receives also sends. One more counter, over the first set, serves the same messages injected one by one, in rounds
 * that a barrier separates. Used by the thread of the context; a replayed exchange allocates nothing.
 */
public final class HaloExchange implements Ghosts {
    private static final int ALIGNMENT = 128;

    private final Context context;
    private final HaloPlan plan;
    private final AtomicBuffer ghosts;
    private final CounterPair arrivals;
    private final ReceptionCounter plainArrivals;
    private final Window sent;
    private final List<Target> neighbours = new ArrayList<>();
    private final List<Target> plainNeighbours = new ArrayList<>();
    private final RecordedRound round;
    private long[] places = {};

    private HaloExchange(Node node, Context context, HaloPlan plan, int patternId) {
        final Client client = node.client();
        this.context = context;
        this.plan = plan;
        final long setBytes = setBytes(plan);
        final Window window = client.window(2 * setBytes);
        this.ghosts = window.buffer();
        this.arrivals = client.counterPair(window, 0, setBytes, setBytes);
        this.plainArrivals = client.receptionCounter(window, 0, setBytes);
        this.sent = client.window(sentBytes(plan));
        this.round = new RecordedRound(context, patternId, arrivals, arrivingByteCount(), () -> putTo(neighbours));
    }

    /** Returns the bytes of windows that a rank with this plan needs for one exchange. */
    public static long windowBytes(HaloPlan plan, int size) {
        return 2 * setBytes(plan) + sentBytes(plan) + GhostPositions.windowBytes(size);
    }

    /**
     * Publishes this rank's sets, attaches to the neighbours' and obtains the places of this rank's values in them.
     * Every rank calls this.
     *
     * @param name unique name among the exchanges of a job
     */
    public static HaloExchange open(Node node, Context context, HaloPlan plan, String name, int patternId) {
        final HaloExchange exchange = new HaloExchange(node, context, plan, patternId);
        final String plainName = name + "-plain";
        node.client().publish(name, exchange.arrivals);
        node.client().publish(plainName, exchange.plainArrivals);
        for (int i = 0; i < plan.neighbourCount(); i++) {
            exchange.neighbours.add(context.attach(plan.neighbour(i), name, RetryingCalls.deadlineNs()));
            exchange.plainNeighbours.add(context.attach(plan.neighbour(i), plainName, RetryingCalls.deadlineNs()));
        }
        exchange.places = GhostPositions.exchange(node, context, plan, name + "-places");
        return exchange;
    }

    @Override
    public void exchange(double[] vector) {
        pack(vector);
        unpack(vector, round.run());
    }

    /** Performs the same exchange with every message injected again. Every rank calls this. */
    public void exchangePlainly(double[] vector) {
        pack(vector);
        // No rank may write into the set before its owner has finished the previous round.
        context.barrier(RetryingCalls.deadlineNs());
        expectPlainly(1);
        putPlainly();
        awaitPlainly();
        unpack(vector, arrivals.offset(0));
    }

    /** Expects {@code roundCount} plain rounds. */
    public void expectPlainly(int roundCount) {
        plainArrivals.expect(roundCount * arrivingByteCount());
    }

    /** Injects this rank's messages of one round one by one, with the most recently packed values. */
    public void putPlainly() {
        putTo(plainNeighbours);
    }

    /**
     * Waits for all expected plain rounds, and until every rank has received its own. After that the sent values may be
     * overwritten.
     */
    public void awaitPlainly() {
        context.await(plainArrivals, RetryingCalls.deadlineNs());
        context.barrier(RetryingCalls.deadlineNs());
    }

    /** Returns the number of replays of the recorded exchange. */
    public long replayCount() {
        return round.replayCount();
    }

    /** Returns the number of messages that this rank sends for one exchange. */
    public int messageCount() {
        return plan.neighbourCount();
    }

    /** Returns the number of bytes that this rank sends for one exchange. */
    public long byteCount() {
        return (long) plan.sendCount() * Double.BYTES;
    }

    private long arrivingByteCount() {
        return (long) plan.ghostCount() * Double.BYTES;
    }

    private void pack(double[] vector) {
        final AtomicBuffer buffer = sent.buffer();
        for (int i = 0; i < plan.sendCount(); i++) {
            buffer.putDouble(i * Double.BYTES, vector[plan.sendRow(i)]);
        }
    }

    private void unpack(double[] vector, long set) {
        final int first = plan.matrix().rowCount();
        for (int i = 0; i < plan.ghostCount(); i++) {
            vector[first + i] = ghosts.getDouble((int) set + i * Double.BYTES);
        }
    }

    private void putTo(List<Target> targets) {
        for (int i = 0; i < targets.size(); i++) {
            final long start = (long) plan.sendStart(i) * Double.BYTES;
            final long end = (long) plan.sendStart(i + 1) * Double.BYTES;
            RetryingCalls.put(context, targets.get(i), places[i] * Double.BYTES, sent, start, end - start);
        }
    }

    private static long setBytes(HaloPlan plan) {
        return windowLength(plan.ghostCount());
    }

    private static long sentBytes(HaloPlan plan) {
        return windowLength(plan.sendCount());
    }

    /** Returns the length of a window. A rank without neighbours has windows of the smallest length. */
    private static long windowLength(int valueCount) {
        return BitUtil.align(Math.max(1L, valueCount) * Double.BYTES, (long) ALIGNMENT);
    }
}
