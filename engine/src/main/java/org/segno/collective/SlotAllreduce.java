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
        final int others = shape.members() - 1;
        final long stride = Schedule.slot(bytes, others);
        final Inlet slots = schedule.slots(stride * others, Schedule.counted(bytes) * others);
        for (int distance = 1; distance < shape.members(); distance++) {
            final int member = shape.after(self, distance);
            schedule.put(member, slots, slot(self, member) * stride, schedule.source(), bytes);
        }
        // In place, the result overwrites the contribution before its turn.
        final boolean early = shape.inPlace() && self > 1;
        final Place own = early ? schedule.scratch(bytes) : schedule.source();
        schedule.copy(schedule.source(), own, bytes);
        schedule.await(slots);
        Place sum = self == 0 ? own : slots.place();
        for (int member = 1; member < shape.members(); member++) {
            final Place next = member == self ? own : slots.place().at(slot(member, self) * stride);
            schedule.combine(sum, next, schedule.target(), bytes);
            sum = schedule.target();
        }
        schedule.copy(sum, schedule.target(), bytes);
    }

    /** Returns the number of the slot of {@code member} at another one, {@code at}, which has none of its own. */
    private static int slot(int member, int at) {
        return member < at ? member : member - 1;
    }
}
