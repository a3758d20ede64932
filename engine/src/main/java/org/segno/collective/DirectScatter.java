package org.segno.collective;

/** Scatter directly into the results, once all members have counted at the root that they have begun the round. */
final class DirectScatter implements Algorithm {
    @Override
    public String name() {
        return "direct";
    }

    @Override
    public String description() {
        return "the root writes the blocks to the results";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.SCATTER;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final boolean isRoot = self == shape.root();
        final Inlet ready = schedule.counts(isRoot ? shape.members() - 1L : 0);
        final Inlet result = schedule.result(shape.length(self), isRoot ? 0 : Schedule.counted(shape.length(self)));
        if (!isRoot) {
            schedule.count(shape.root(), ready);
            return;
        }
        schedule.await(ready);
        for (int distance = 1; distance < shape.members(); distance++) {
            final int member = shape.after(self, distance);
            schedule.put(member, result, 0, schedule.source().at(shape.offset(member)), shape.length(member));
        }
        schedule.copy(schedule.source().at(shape.offset(self)), schedule.target(), shape.length(self));
    }
}
