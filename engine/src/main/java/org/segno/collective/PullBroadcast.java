package org.segno.collective;

/**
 * Broadcast within one host. All members copy the contribution of the root at the same time, each into its own result,
 * which is then in the cache of its core. The root waits until all have copied.
 *
 * <p>Not over links: there the root would send everything to each member, one after the other.
 */
final class PullBroadcast implements Algorithm {
    @Override
    public String name() {
        return "pull";
    }

    @Override
    public String description() {
        return "on one host: all read from the root at once";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.BROADCAST && shape.hosts().isOne();
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final boolean isRoot = shape.self() == shape.root();
        final long bytes = shape.bytes();
        final int others = bytes == 0 ? 0 : shape.members() - 1;
        final Inlet data = schedule.result(bytes, isRoot ? 0 : bytes);
        final Inlet source = schedule.readable(isRoot && others != 0 ? bytes : 0);
        final Inlet ready = schedule.counts(isRoot ? 0 : Math.min(others, 1));
        final Inlet read = schedule.counts(isRoot ? others : 0);
        if (others == 0) {
            return;
        }
        if (isRoot) {
            schedule.countOthers(ready);
        } else {
            schedule.await(ready);
            schedule.get(shape.root(), source, 0, data, 0, bytes);
            schedule.await(data);
            schedule.count(shape.root(), read);
        }
    }
}
