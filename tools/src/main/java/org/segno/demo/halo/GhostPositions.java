package org.segno.demo.halo;

import org.segno.context.Context;
import org.segno.demo.matrix.HaloPlan;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.node.Node;

/**
 * Exchange of the places of values among the ghosts of each rank: the only information about a halo that a rank cannot
 * compute from its own rows.
 *
 * <p>It is done once, by a PUT to each neighbour.
 */
final class GhostPositions {
    private static final int START_OFFSET = 0;
    private static final int COUNT_OFFSET = 8;
    private static final int PLACE_BYTES = 16;

    /** Distance of places. Places written by different ranks are on separate cache lines. */
    private static final int PLACE_STRIDE = 128;

    private GhostPositions() {}

    /** Returns the bytes of windows that the exchange needs on each rank. */
    static long windowBytes(int size) {
        return 2L * size * PLACE_STRIDE;
    }

    /**
     * Sends this rank's places to its neighbours and receives theirs. Every rank calls this.
     *
     * @param name name of the counter, not used otherwise in this job
     * @return for each neighbour of the plan the first ghost at that neighbour that this rank fills
     */
    static long[] exchange(Node node, Context context, HaloPlan plan, String name) {
        final Window received = node.client().window((long) node.size() * PLACE_STRIDE);
        final ReceptionCounter arrivals = node.client().receptionCounter(received, 0, received.length());
        arrivals.expect((long) plan.neighbourCount() * PLACE_BYTES);
        node.client().publish(name, arrivals);

        final Window own = node.client().window((long) node.size() * PLACE_STRIDE);
        for (int i = 0; i < plan.neighbourCount(); i++) {
            final int neighbour = plan.neighbour(i);
            final int place = neighbour * PLACE_STRIDE;
            own.buffer().putLong(place + START_OFFSET, plan.ghostStart(i));
            own.buffer().putLong(place + COUNT_OFFSET, plan.ghostStart(i + 1) - plan.ghostStart(i));
            RetryingCalls.put(
                    context,
                    context.attach(neighbour, name, RetryingCalls.deadlineNs()),
                    (long) node.rank() * PLACE_STRIDE,
                    own,
                    place,
                    PLACE_BYTES);
        }
        context.await(arrivals, RetryingCalls.deadlineNs());
        return places(plan, received);
    }

    private static long[] places(HaloPlan plan, Window received) {
        final long[] places = new long[plan.neighbourCount()];
        for (int i = 0; i < places.length; i++) {
            final int place = plan.neighbour(i) * PLACE_STRIDE;
            final long wanted = received.buffer().getLong(place + COUNT_OFFSET);
            final int sent = plan.sendStart(i + 1) - plan.sendStart(i);
            if (wanted != sent) {
                throw new IllegalStateException("rank " + plan.neighbour(i) + " waits for " + wanted
                        + " values but gets " + sent + ": the ranks do not work on the same matrix");
            }
            places[i] = received.buffer().getLong(place + START_OFFSET);
        }
        return places;
    }
}
