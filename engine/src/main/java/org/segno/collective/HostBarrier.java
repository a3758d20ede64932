package org.segno.collective;

/**
 * Barrier of members on several hosts: those of a host count at its leader, the leaders count at each other, and then
 * at the members of their hosts. Each pair of hosts exchanges two counts.
 */
final class HostBarrier implements Algorithm {
    @Override
    public String name() {
        return Algorithms.HOSTS;
    }

    @Override
    public String description() {
        return "on several hosts, one with several members: one of each counts at those of the others";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.BARRIER && shape.hosts().areMixed();
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final int leader = shape.hosts().leader(self);
        final int[] local = shape.hosts().beside(self);
        final int[] leaders = shape.hosts().leaders();
        final boolean isLeader = self == leader;
        final Inlet entered = schedule.counts(isLeader ? local.length - 1L : 0);
        final Inlet met = schedule.counts(isLeader ? leaders.length - 1L : 0);
        final Inlet released = schedule.counts(isLeader ? 0 : 1);
        if (!isLeader) {
            schedule.count(leader, entered);
            schedule.await(released);
            return;
        }
        schedule.await(entered);
        for (final int other : leaders) {
            if (other != self) {
                schedule.count(other, met);
            }
        }
        schedule.await(met);
        for (final int member : local) {
            if (member != self) {
                schedule.count(member, released);
            }
        }
    }
}
