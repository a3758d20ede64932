package org.segno.collective;

/**
 * Allreduce by recursive halving, after which each active member has the sum of one block, and doubling. Each member
 * sends all bytes twice at most, in 2 log2(members) messages. Rabenseifner: Optimization of collective reduction
 * operations, 2004.
 *
 * <p>Nobody writes a result early: the blocks that arrive from a member in the doubling are those that it was sent in
 * the halving.
 */
final class HalvingAllreduce implements Algorithm {
    @Override
    public String name() {
        return Algorithms.HALVING;
    }

    @Override
    public String description() {
        return "log2(members) steps of half the bytes of the one before, and back";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.ALLREDUCE;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final long bytes = shape.bytes();
        final Pairing pairing = Pairing.of(shape);
        final Inlet given = schedule.slots(bytes, pairing.isTaker() ? Schedule.counted(bytes) : 0);
        final Inlet returned = schedule.result(bytes, pairing.isGiver() ? Schedule.counted(bytes) : 0);
        Place own = schedule.source();
        if (pairing.isGiver()) {
            schedule.put(self - 1, given, 0, own, bytes);
        }
        if (pairing.isTaker()) {
            schedule.await(given);
            schedule.combine(own, given.place(), schedule.target(), bytes);
            own = schedule.target();
        }
        final Lengths blocks = Lengths.evenly(bytes, pairing.active(), Shape.unit(shape.element()));
        final Halving halving = new Halving(schedule, pairing, blocks);
        halving.reduce(own, schedule.target());
        halving.gather();
        if (pairing.isTaker()) {
            schedule.put(self + 1, returned, 0, schedule.target(), bytes);
        }
        if (shape.members() == 1) {
            schedule.copy(own, schedule.target(), bytes);
        }
    }
}
