package org.segno.collective;

/**
 * Barrier by dissemination: in step k each member counts at the one 2^k behind it, and waits for the one 2^k before it.
 * Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988.
 */
final class DisseminationBarrier implements Algorithm {
    @Override
    public String name() {
        return "dissemination";
    }

    @Override
    public String description() {
        return "log2(members) steps of one count";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.BARRIER;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        meet(shape, schedule);
    }

    /** Writes steps that end when all members have begun them. */
    static void meet(Shape shape, Schedule schedule) {
        for (int distance = 1; distance < shape.members(); distance <<= 1) {
            final Inlet step = schedule.counts(1);
            schedule.count(shape.after(shape.self(), distance), step);
            schedule.await(step);
        }
    }
}
