package org.segno.collective;

/**
 * All-to-all or allgather directly into the results. Each member first sends a count to all others, after
 * which they may write its result.
 */
final class DirectExchange implements Algorithm {
    @Override
    public String name() {
        return "direct";
    }

    @Override
    public String description() {
        return "each writes its block to the results of all others";
    }

    static boolean isExchange(Shape shape) {
        return shape.kind() == CollectiveKind.ALLGATHER || shape.kind() == CollectiveKind.ALL_TO_ALL;
    }

    @Override
    public boolean isValid(Shape shape) {
        return isExchange(shape);
    }

    /** Returns the block that this member has for another one. */
    static Place block(Shape shape, Schedule schedule, int member) {
        return shape.kind() == CollectiveKind.ALLGATHER
                ? schedule.source()
                : schedule.source().at(shape.offset(member));
    }

    /** Sends the blocks to all others, the next one first. */
    static void send(Shape shape, Schedule schedule, Inlet inlet) {
        final int self = shape.self();
        for (int distance = 1; distance < shape.members(); distance++) {
            final int member = shape.after(self, distance);
            final long length = shape.length(shape.kind() == CollectiveKind.ALLGATHER ? self : member);
            schedule.put(member, inlet, shape.offsetAt(member), block(shape, schedule, member), length);
        }
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final Inlet ready = schedule.counts(shape.members() - 1L);
        final Lengths arriving = shape.arriving();
        final Inlet result = schedule.result(arriving.total(shape.members()), shape.countedOthers(arriving));
        schedule.countOthers(ready);
        schedule.await(ready);
        send(shape, schedule, result);
        schedule.copy(block(shape, schedule, self), schedule.target().at(shape.offsetAt(self)), shape.length(self));
    }
}
