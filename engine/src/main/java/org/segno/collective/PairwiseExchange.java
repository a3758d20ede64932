package org.segno.collective;

/**
 * All-to-all directly into the results, one block at a time: in step k a member sends to the one k behind it, and
 * continues when as much has arrived as the blocks of the first k steps have. A few messages at a time pass to each
 * member, in place of those of all. Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in
 * MPICH, 2005.
 *
 * <p>Each member first sends a count to all others, after which they may write its result. Members may be some steps
 * apart. The blocks of the first k steps are therefore not always the first ones that arrive, but each step of a member
 * waits only for blocks that others send without waiting for that step.
 */
final class PairwiseExchange implements Algorithm {
    @Override
    public String name() {
        return "pairwise";
    }

    @Override
    public String description() {
        return "each writes one block at a time to the results of the others";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.ALL_TO_ALL;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final Lengths arriving = shape.arriving();
        long missing = shape.countedOthers(arriving);
        final Inlet ready = schedule.counts(shape.members() - 1L);
        final Inlet result = schedule.result(arriving.total(shape.members()), missing);
        schedule.countOthers(ready);
        schedule.copy(
                DirectExchange.block(shape, schedule, self),
                schedule.target().at(shape.offsetAt(self)),
                shape.length(self));
        schedule.await(ready);
        for (int distance = 1; distance < shape.members(); distance++) {
            final int to = shape.after(self, distance);
            final Place block = DirectExchange.block(shape, schedule, to);
            schedule.put(to, result, shape.offsetAt(to), block, shape.length(to));
            missing -= Schedule.counted(arriving.length(shape.after(self, -distance)));
            schedule.await(result, missing);
        }
    }
}
