package org.segno.collective;

import java.util.stream.IntStream;

/**
 * Reduction in which each member combines one block: all send it their part of the block, and it combines these in the
 * order of the members. For an allreduce, it then writes the block to the results of all; for a reduce, to that of the
 * root. Each byte is sent twice at most, whatever the number of members.
 *
 * <p>Nobody writes a result early: a member has begun the round when its contribution has arrived.
 */
final class DividedReduction implements Algorithm {
    @Override
    public String name() {
        return "divided";
    }

    @Override
    public String description() {
        return "each combines one block of all; it needs an element for each, or a block";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.REDUCE_SCATTER || isDivisible(shape);
    }

    /**
     * Returns true for an allreduce or reduce with blocks for the first and the last member; others may have an empty
     * one.
     */
    static boolean isDivisible(Shape shape) {
        return (shape.kind() == CollectiveKind.ALLREDUCE || shape.kind() == CollectiveKind.REDUCE)
                && shape.divided().length(0) != 0
                && shape.divided().length(shape.members() - 1) != 0;
    }

    /** Returns the other members that receive what this one has combined, the next one first. */
    static int[] receivers(Shape shape) {
        return switch (shape.kind()) {
            case ALLREDUCE ->
                IntStream.range(1, shape.members())
                        .map(distance -> shape.after(shape.self(), distance))
                        .toArray();
            case REDUCE -> shape.self() == shape.root() ? new int[0] : new int[] {shape.root()};
            default -> new int[0];
        };
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final int members = shape.members();
        final boolean isScattered = shape.kind() == CollectiveKind.REDUCE_SCATTER;
        final boolean isRoot = shape.kind() == CollectiveKind.REDUCE && self == shape.root();
        final boolean isForAll = shape.kind() == CollectiveKind.ALLREDUCE;
        final Lengths blocks = isScattered ? shape.lengths() : shape.divided();
        final long length = blocks.length(self);
        final Inlet slots = schedule.slots(length * members, Schedule.counted(length) * (members - 1));
        final Inlet result = schedule.result(shape.total(), isForAll || isRoot ? shape.countedOthers(blocks) : 0);
        for (int distance = 1; distance < members; distance++) {
            final int member = shape.after(self, distance);
            final Place from = schedule.source().at(blocks.offset(member));
            schedule.put(member, slots, self * blocks.length(member), from, blocks.length(member));
        }
        final boolean keeps = isForAll || isScattered || isRoot;
        final Place target = isScattered ? schedule.target() : schedule.target().at(blocks.offset(self));
        // In place, the result may overwrite this member's own part before its turn.
        final boolean early = shape.inPlace() && (self > 1 || isScattered);
        final Place sum = early || !keeps ? schedule.scratch(length) : target;
        final Place own = schedule.source().at(blocks.offset(self));
        schedule.await(slots);
        Place left = self == 0 ? own : slots.place();
        for (int member = 1; member < members; member++) {
            final Place right = member == self ? own : slots.place().at(member * length);
            schedule.combine(left, right, sum, length);
            left = sum;
        }
        for (final int receiver : receivers(shape)) {
            schedule.put(receiver, result, blocks.offset(self), left, length);
        }
        // The block of a single member is not combined. In place, it may overlap the result.
        schedule.copy(left, sum, length);
        schedule.copy(sum, keeps ? target : sum, length);
    }
}
