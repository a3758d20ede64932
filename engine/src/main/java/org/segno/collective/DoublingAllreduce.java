package org.segno.collective;

/**
 * Allreduce by recursive doubling, in the order of the members. If their number is no power of two, some of the first
 * ones combine in pairs before, and one of each pair receives the result afterwards. Thakur, Rabenseifner, Gropp:
 * Optimization of collective communication operations in MPICH, 2005.
 */
final class DoublingAllreduce implements Algorithm {
    @Override
    public String name() {
        return "recursive-doubling";
    }

    @Override
    public String description() {
        return "log2(members) steps of all bytes";
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
        final boolean isGiver = pairing.isGiver();
        final boolean isTaker = pairing.isTaker();
        final Inlet given = schedule.slots(bytes, isTaker ? Schedule.counted(bytes) : 0);
        final Inlet returned = schedule.slots(bytes, isGiver ? Schedule.counted(bytes) : 0);
        if (isGiver) {
            schedule.put(self - 1, given, 0, schedule.source(), bytes);
        }
        Place sum = schedule.source();
        if (isTaker) {
            schedule.await(given);
            schedule.combine(sum, given.place(), schedule.target(), bytes);
            sum = schedule.target();
        }
        final int position = pairing.position();
        for (int bit = 1; bit < pairing.active(); bit <<= 1) {
            final Inlet step = schedule.slots(bytes, isGiver ? 0 : Schedule.counted(bytes));
            if (!isGiver) {
                final int partner = position ^ bit;
                schedule.put(pairing.member(partner), step, 0, sum, bytes);
                schedule.await(step);
                final boolean isFirst = partner > position;
                schedule.combine(isFirst ? sum : step.place(), isFirst ? step.place() : sum, schedule.target(), bytes);
                sum = schedule.target();
            }
        }
        if (isTaker) {
            schedule.put(self + 1, returned, 0, sum, bytes);
        }
        if (isGiver) {
            schedule.await(returned);
            sum = returned.place();
        }
        schedule.copy(sum, schedule.target(), bytes);
    }
}
