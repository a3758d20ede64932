package org.segno.collective;

/**
 * Barrier by one counter, patent 004: each member expects a count of every other one, and counts at all of them. A
 * member may be one round ahead.
 */
final class CounterBarrier implements Algorithm {
    @Override
    public String name() {
        return "counters";
    }

    @Override
    public String description() {
        return "each counts at all others";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.BARRIER;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        schedule.countOthers(schedule.counts(shape.members() - 1L));
    }
}
