package org.segno.collective;

/**
 * Allgather in log2(members) steps, directly into the results: in step k each member sends all blocks that it has, up
 * to 2^k, to the member 2^k before it. Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all
 * communications in multiport message-passing systems, 1997.
 *
 * <p>Blocks have the same place in all results. They are therefore neither rotated nor copied, and a step has a message
 * for each run of adjacent blocks: two at most if all are adjacent. Members count at those that send to them when they
 * begin a round. Blocks without bytes are not sent.
 */
final class BruckAllgather implements Algorithm {
    @Override
    public String name() {
        return Algorithms.BRUCK;
    }

    @Override
    public String description() {
        return "log2(members) steps with the blocks of several members";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.ALLGATHER;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final int members = shape.members();
        int receivers = 0;
        for (int distance = 1; distance < members; distance <<= 1) {
            receivers += bytes(shape, self, distance) == 0 ? 0 : 1;
        }
        final Inlet ready = schedule.counts(receivers);
        for (int distance = 1; distance < members; distance <<= 1) {
            final int from = shape.after(self, distance);
            if (bytes(shape, from, distance) != 0) {
                schedule.count(from, ready);
            }
        }
        schedule.copy(schedule.source(), schedule.target().at(shape.offset(self)), shape.length(self));
        schedule.await(ready);
        for (int distance = 1; distance < members; distance <<= 1) {
            final long arriving = bytes(shape, shape.after(self, distance), distance);
            final Inlet result = schedule.result(shape.total(), arriving);
            send(shape, schedule, result, distance);
            schedule.await(result);
        }
    }

    /** Returns the number of the blocks that are sent in a step. */
    private static int blocks(Shape shape, int distance) {
        return Math.min(distance, shape.members() - distance);
    }

    /** Returns the length of the blocks that a member sends in a step. */
    private static long bytes(Shape shape, int from, int distance) {
        long bytes = 0;
        for (int i = 0; i < blocks(shape, distance); i++) {
            bytes += shape.length(shape.after(from, i));
        }
        return bytes;
    }

    /** Sends the blocks of a step, adjacent ones together. */
    private static void send(Shape shape, Schedule schedule, Inlet result, int distance) {
        final int to = shape.after(shape.self(), -distance);
        long begin = 0;
        long end = 0;
        for (int i = 0; i < blocks(shape, distance); i++) {
            final int owner = shape.after(shape.self(), i);
            if (shape.length(owner) != 0) {
                if (shape.offset(owner) != end && end != begin) {
                    schedule.put(to, result, begin, schedule.target().at(begin), end - begin);
                }
                begin = shape.offset(owner) == end ? begin : shape.offset(owner);
                end = shape.offset(owner) + shape.length(owner);
            }
        }
        if (end != begin) {
            schedule.put(to, result, begin, schedule.target().at(begin), end - begin);
        }
    }
}
