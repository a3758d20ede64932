package org.segno.demo.halo;

import org.agrona.concurrent.AtomicBuffer;
import org.segno.collective.Call;
import org.segno.collective.Collective;
import org.segno.collective.Geometry;
import org.segno.collective.Reduction;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.context.Context;
import org.segno.demo.solver.Sums;
import org.segno.node.Node;

/**
 * Sums over all ranks by a prepared allreduce. It combines in the order of the ranks, so that the sums are equal to the
 * last bit everywhere. Used by the thread of the context; allocates nothing after it is opened.
 */
public final class AllReduce implements Sums {
    private static final int BYTES = VALUE_COUNT * Double.BYTES;
    private static final String NAME = "cg-sums";
    private static final Call CALL = Call.allreduce(BYTES, Reduction.of(ElementType.DOUBLE, Operator.SUM));

    private final int others;
    private final Collective collective;
    private final AtomicBuffer input;
    private final AtomicBuffer output;

    private AllReduce(Geometry world) {
        this.others = world.size() - 1;
        this.collective = world.prepare(CALL, RetryingCalls.deadlineNs());
        this.input = collective.input();
        this.output = collective.output();
    }

    /** Returns the bytes of windows that each rank of a job needs. */
    public static long windowBytes(int size) {
        return Geometry.windowBytes(size, CALL);
    }

    /** Opens the sums of all ranks. Every rank calls this. */
    public static AllReduce open(Node node, Context context) {
        return new AllReduce(Geometry.world(node.client(), context, NAME, RetryingCalls.deadlineNs()));
    }

    @Override
    public void sum(double[] values) {
        for (int i = 0; i < VALUE_COUNT; i++) {
            input.putDouble(i * Double.BYTES, values[i]);
        }
        collective.run(RetryingCalls.deadlineNs());
        for (int i = 0; i < VALUE_COUNT; i++) {
            values[i] = output.getDouble(i * Double.BYTES);
        }
    }

    /** Returns the number of messages that this rank sends for one sum. */
    public int messageCount() {
        return others;
    }

    /** Returns the number of bytes that this rank sends for one sum. */
    public long byteCount() {
        return (long) others * BYTES;
    }
}
