package org.segno.collective;

/**
 * Allreduce of few bytes: each member writes its contribution to its slot at all others, and combines all in the order
 * of the members.
 */
final class SlotAllreduce implements Algorithm {
    private static final long SLOTS_LIMIT = 1 << 16;

    @Override
    public String name() {
        return "slots";
    }

    @Override
    public String description() {
        return "each writes its slot at all others, up to 64 KiB of slots";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.ALLREDUCE
                && Schedule.align(shape.bytes()) <= SLOTS_LIMIT / shape.members();
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final long bytes = shape.bytes();
        // Each slot has another writer.
        final long stride = Schedule.align(bytes);
        final Inlet slots = schedule.slots(stride * shape.members(), Schedule.counted(bytes) * (shape.members() - 1));
        for (int distance = 1; distance < shape.members(); distance++) {
            schedule.put(shape.after(self, distance), slots, self * stride, schedule.source(), bytes);
        }
        // In place, the result overwrites the contribution before its turn.
        final boolean early = shape.inPlace() && self > 1;
        final Place own = early ? schedule.scratch(bytes) : schedule.source();
        schedule.copy(schedule.source(), own, bytes);
        schedule.await(slots);
        Place sum = self == 0 ? own : slots.place();
        for (int member = 1; member < shape.members(); member++) {
            final Place next = member == self ? own : slots.place().at(member * stride);
            schedule.combine(sum, next, schedule.target(), bytes);
            sum = schedule.target();
        }
        schedule.copy(sum, schedule.target(), bytes);
    }
}
