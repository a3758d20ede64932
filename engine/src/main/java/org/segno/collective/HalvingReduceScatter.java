package org.segno.collective;

/**
 * Reduce-scatter by recursive halving, in log2(members) messages of each member. Its blocks are copied to the order in
 * which the halving leaves them: Traeff: An improved algorithm for (non-commutative) reduce-scatter with an
 * application, 2005. If some members are in pairs, the first of a pair sends the second one its result.
 *
 * <p>Nobody writes a result early: the second of a pair has begun the round when its contribution has arrived.
 */
final class HalvingReduceScatter implements Algorithm {
    @Override
    public String name() {
        return Algorithms.HALVING;
    }

    @Override
    public String description() {
        return "log2(members) steps of half the bytes of the one before";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.REDUCE_SCATTER;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final Pairing pairing = Pairing.of(shape);
        final long total = Schedule.counted(shape.total());
        final long length = shape.length(self);
        final Inlet given = schedule.slots(shape.total(), pairing.isTaker() ? total : 0);
        final Inlet returned = schedule.result(length, pairing.isGiver() ? Schedule.counted(length) : 0);
        final Lengths blocks = blocks(shape, pairing);
        final Place sums = schedule.scratch(pairing.isGiver() ? 0 : blocks.total(pairing.active()));
        if (pairing.isGiver()) {
            schedule.put(self - 1, given, 0, schedule.source(), shape.total());
        }
        schedule.await(given);
        for (int member = 0; member < shape.members() && !pairing.isGiver(); member++) {
            final Place own = schedule.source().at(shape.offset(member));
            final Place to = sums.at(offset(shape, pairing, blocks, member));
            if (pairing.isTaker()) {
                schedule.combine(own, given.place().at(shape.offset(member)), to, shape.length(member));
            } else {
                schedule.copy(own, to, shape.length(member));
            }
        }
        new Halving(schedule, pairing, blocks).reduce(sums, sums);
        if (pairing.isTaker()) {
            final Place other = sums.at(offset(shape, pairing, blocks, self + 1));
            schedule.put(self + 1, returned, 0, other, shape.length(self + 1));
        }
        if (!pairing.isGiver()) {
            schedule.copy(sums.at(offset(shape, pairing, blocks, self)), schedule.target(), length);
        }
    }

    /** Returns the blocks of the halving, each with those of one member or of a pair. */
    private static Lengths blocks(Shape shape, Pairing pairing) {
        final long[] lengths = new long[pairing.active()];
        for (int member = 0; member < shape.members(); member++) {
            lengths[Halving.reversed(pairing.position(member), pairing.active())] += shape.length(member);
        }
        return Lengths.of(lengths);
    }

    /** Returns the offset of the block of a member in those of the halving. */
    private static long offset(Shape shape, Pairing pairing, Lengths blocks, int member) {
        final int position = pairing.position(member);
        final long offset = blocks.offset(Halving.reversed(position, pairing.active()));
        return pairing.member(position) == member ? offset : offset + shape.length(member - 1);
    }
}
