package org.segno.collective;

/**
 * Allgather around a ring, directly into the results: each member sends its block to the next one, and forwards each
 * block that arrives from the one before it. Each sends to one other member only. Thakur, Rabenseifner, Gropp:
 * Optimization of collective communication operations in MPICH, 2005.
 *
 * <p>A member counts at the one before it when it begins a round. Blocks without bytes are not sent.
 */
final class RingAllgather implements Algorithm {
    @Override
    public String name() {
        return Algorithms.RING;
    }

    @Override
    public String description() {
        return "each sends to the next one, and forwards what arrives";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.ALLGATHER;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final int next = shape.after(self, 1);
        final long arriving = shape.moved() - shape.length(self);
        final long leaving = shape.moved() - shape.length(next);
        final Inlet result = schedule.result(shape.total(), arriving);
        final Inlet ready = schedule.counts(leaving == 0 ? 0 : 1);
        if (arriving != 0) {
            schedule.count(shape.after(self, -1), ready);
        }
        schedule.copy(schedule.source(), schedule.target().at(shape.offset(self)), shape.length(self));
        schedule.await(ready);
        long missing = arriving;
        for (int distance = 0; distance < shape.members() - 1; distance++) {
            final int owner = shape.after(self, -distance);
            final long length = shape.length(owner);
            missing -= distance == 0 ? 0 : length;
            schedule.await(result, missing);
            if (length != 0) {
                final long offset = shape.offset(owner);
                schedule.put(next, result, offset, schedule.target().at(offset), length);
            }
        }
    }
}
