package org.segno.collective;

/**
 * Reduce-scatter around a ring: the sum of each block begins behind its owner, and each member adds its part of the
 * block and passes it on, up to the owner. Each member sends all bytes but those of its own block once, and to one
 * other member only. The first half of the ring of Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for
 * clusters of workstations, 2009. The order is another one for each block, so the operator must be commutative.
 *
 * <p>Slots are not overwritten early: within a round a chain of messages leads around the ring.
 */
final class RingReduceScatter implements Algorithm {
    @Override
    public String name() {
        return Algorithms.RING;
    }

    @Override
    public String description() {
        return "with a commutative operator, each block from each to the next, up to its owner";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.REDUCE_SCATTER && !shape.isOrdered();
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final int members = shape.members();
        // The block of the one before begins here, so it does not arrive.
        long missing = -Schedule.counted(shape.length(shape.after(self, -1)));
        for (int member = 0; member < members; member++) {
            missing += Schedule.counted(shape.length(member));
        }
        final Inlet sums = schedule.slots(shape.total(), members == 1 ? 0 : missing);
        Place sum = schedule.source().at(shape.offset(shape.after(self, -1)));
        for (int distance = 1; distance < members; distance++) {
            final int sent = shape.after(self, -distance);
            schedule.put(shape.after(self, 1), sums, shape.offset(sent), sum, shape.length(sent));
            final int received = shape.after(sent, -1);
            final long offset = shape.offset(received);
            final long length = shape.length(received);
            missing -= Schedule.counted(length);
            schedule.await(sums, missing);
            sum = sums.place().at(offset);
            schedule.combine(sum, schedule.source().at(offset), sum, length);
        }
        // The block of a single member is not combined. In place, it may overlap the result.
        final Place result = members == 1 && shape.inPlace() ? schedule.scratch(shape.length(self)) : sum;
        schedule.copy(sum, result, shape.length(self));
        schedule.copy(result, schedule.target(), shape.length(self));
    }
}
