package org.segno.collective;

/**
 * Scan in log2(members) steps: in step k each member sends its partial result to the member 2^k behind it. Hillis,
 * Steele: Data parallel algorithms, 1986. Members count at those that send to them when they begin a round.
 */
final class DoublingScan implements Algorithm {
    @Override
    public String name() {
        return "doubling";
    }

    @Override
    public String description() {
        return "log2(members) steps of all bytes";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.SCAN || shape.kind() == CollectiveKind.EXCLUSIVE_SCAN;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final long bytes = shape.bytes();
        final boolean isExclusive = shape.kind() == CollectiveKind.EXCLUSIVE_SCAN;
        final Place sum = isExclusive ? schedule.scratch(bytes) : schedule.target();
        final int steps = Integer.SIZE - Integer.numberOfLeadingZeros(shape.members() - 1);
        final Inlet[] ready = new Inlet[steps];
        final Inlet[] inlet = new Inlet[steps];
        for (int step = 0; step < steps; step++) {
            final int distance = 1 << step;
            ready[step] = schedule.counts(self + distance < shape.members() ? 1 : 0);
            inlet[step] = schedule.slots(bytes, self >= distance ? Schedule.counted(bytes) : 0);
        }
        for (int step = 0; step < steps && self >= (1 << step); step++) {
            schedule.count(self - (1 << step), ready[step]);
        }
        Place own = schedule.source();
        for (int step = 0; step < steps; step++) {
            final int distance = 1 << step;
            if (self + distance < shape.members()) {
                schedule.await(ready[step]);
                schedule.put(self + distance, inlet[step], 0, own, bytes);
            }
            if (self >= distance) {
                final Place before = inlet[step].place();
                schedule.await(inlet[step]);
                schedule.combine(before, own, sum, bytes);
                own = sum;
                if (isExclusive && step == 0) {
                    schedule.copy(before, schedule.target(), bytes);
                } else if (isExclusive) {
                    schedule.combine(before, schedule.target(), schedule.target(), bytes);
                }
            }
        }
        if (!isExclusive) {
            schedule.copy(own, sum, bytes);
        }
    }
}
