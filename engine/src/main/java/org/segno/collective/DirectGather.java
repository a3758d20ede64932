package org.segno.collective;

/** Gather directly into the root's result, once the root has counted at each member that it has begun the round. */
final class DirectGather implements Algorithm {
    @Override
    public String name() {
        return "direct";
    }

    @Override
    public String description() {
        return "each writes its block to the root's result";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.GATHER;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final boolean isRoot = self == shape.root();
        final Inlet ready = schedule.counts(isRoot ? 0 : 1);
        final Inlet result = schedule.result(shape.total(), isRoot ? shape.countedOthers(shape.lengths()) : 0);
        if (isRoot) {
            schedule.countOthers(ready);
            schedule.copy(schedule.source(), schedule.target().at(shape.offset(self)), shape.length(self));
        } else {
            schedule.await(ready);
            schedule.put(shape.root(), result, shape.offset(self), schedule.source(), shape.length(self));
        }
    }
}
