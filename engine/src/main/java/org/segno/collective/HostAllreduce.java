package org.segno.collective;

/**
 * Allreduce of members on several hosts: the leader of each host combines the contributions of its host, the leaders
 * exchange these, and each combines them and writes the result to the members of its host. Between two hosts the bytes
 * pass once in each direction. The order of the members is kept if those of each host adjoin.
 *
 * <p>Nobody writes a result early: a member has begun the round when its contribution has arrived.
 */
final class HostAllreduce implements Algorithm {
    private static final long SLOTS_LIMIT = 1 << 16;

    @Override
    public String name() {
        return Algorithms.HOSTS;
    }

    @Override
    public String description() {
        return "on several hosts, with consecutive members unless the operator is commutative: one member of each"
                + " combines, and exchanges with those of the others, up to 64 KiB of slots";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.ALLREDUCE
                && shape.hosts().areMixed()
                && (shape.hosts().areContiguous() || !shape.isOrdered())
                && Schedule.align(shape.bytes()) <= SLOTS_LIMIT / shape.members();
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final long bytes = shape.bytes();
        final long counted = Schedule.counted(bytes);
        final int self = shape.self();
        final int leader = shape.hosts().leader(self);
        final int[] local = shape.hosts().beside(self);
        final int[] leaders = shape.hosts().leaders();
        final boolean isLeader = self == leader;
        // Each slot has another writer.
        final long stride = Schedule.align(bytes);
        final Inlet own = schedule.slots(stride * local.length, isLeader ? counted * (local.length - 1) : 0);
        final Inlet others = schedule.slots(stride * leaders.length, isLeader ? counted * (leaders.length - 1) : 0);
        final Inlet result = schedule.result(bytes, isLeader ? 0 : counted);
        if (!isLeader) {
            schedule.put(leader, own, indexOf(local, self) * stride, schedule.source(), bytes);
            return;
        }
        Place sum = schedule.source();
        schedule.await(own);
        final Place partial = local.length == 1 ? sum : schedule.scratch(bytes);
        for (int i = 1; i < local.length; i++) {
            schedule.combine(sum, own.place().at(i * stride), partial, bytes);
            sum = partial;
        }
        final int host = indexOf(leaders, self);
        for (int distance = 1; distance < leaders.length; distance++) {
            final int other = leaders[(host + distance) % leaders.length];
            schedule.put(other, others, host * stride, sum, bytes);
        }
        // In place, the result overwrites the contribution of a leader without members before its turn.
        final boolean early = shape.inPlace() && local.length == 1 && host > 1;
        final Place mine = early ? schedule.scratch(bytes) : sum;
        schedule.copy(sum, mine, bytes);
        schedule.await(others);
        Place total = host == 0 ? mine : others.place();
        for (int i = 1; i < leaders.length; i++) {
            final Place next = i == host ? mine : others.place().at(i * stride);
            schedule.combine(total, next, schedule.target(), bytes);
            total = schedule.target();
        }
        for (int i = 1; i < local.length; i++) {
            schedule.put(local[i], result, 0, schedule.target(), bytes);
        }
    }

    private static int indexOf(int[] members, int self) {
        int index = 0;
        while (members[index] != self) {
            index++;
        }
        return index;
    }
}
