package org.segno.collective;

/** All-to-all or allgather of few bytes: blocks land in slots, and each member copies them to its result. */
final class SlotExchange implements Algorithm {
    private static final long SLOTS_LIMIT = 1 << 16;

    @Override
    public String name() {
        return "slots";
    }

    @Override
    public String description() {
        return "each writes its block to slots of all others, up to 64 KiB of slots";
    }

    @Override
    public boolean isValid(Shape shape) {
        return DirectExchange.isExchange(shape)
                && shape.offsets() == null
                && shape.total() <= SLOTS_LIMIT
                && shape.lengths().areAdjacent(shape.members());
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final long before = shape.offset(self);
        final long own = shape.length(self);
        final Inlet slots = schedule.slots(shape.total(), shape.countedOthers(shape.lengths()));
        DirectExchange.send(shape, schedule, slots);
        schedule.copy(
                DirectExchange.block(shape, schedule, self), schedule.target().at(before), own);
        schedule.await(slots);
        schedule.copy(slots.place(), schedule.target(), before);
        final long after = before + own;
        schedule.copy(slots.place().at(after), schedule.target().at(after), shape.total() - after);
    }
}
