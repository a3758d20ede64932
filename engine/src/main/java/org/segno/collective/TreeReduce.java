package org.segno.collective;

/**
 * Reduction along a binomial tree in the order of the members: member m combines with m + 1, then m + 2, m + 4. The
 * first member sends the result to the root, if it is another one. A member counts at each that sends to it when it
 * begins a round.
 */
final class TreeReduce implements Algorithm {
    @Override
    public String name() {
        return "tree";
    }

    @Override
    public String description() {
        return "binomial tree in the order of the members";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.REDUCE;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final long bytes = shape.bytes();
        final Inlet ready = schedule.counts(self == 0 ? 0 : 1);
        final int parent = self & (self - 1);
        for (int bit = 1; isChild(self, bit, shape.members()); bit <<= 1) {
            schedule.count(self + bit, ready);
        }
        Place sum = schedule.source();
        final boolean isLeaf = !isChild(self, 1, shape.members());
        final Place own = self == 0 && shape.root() == 0 ? schedule.target() : schedule.scratch(isLeaf ? 0 : bytes);
        for (int bit = 1; bit < shape.members(); bit <<= 1) {
            final boolean receives = isChild(self, bit, shape.members());
            final Inlet child = schedule.slots(bytes, receives ? Schedule.counted(bytes) : 0);
            if (receives) {
                schedule.await(child);
                schedule.combine(sum, child.place(), own, bytes);
                sum = own;
            } else if (self - parent == bit) {
                schedule.await(ready);
                schedule.put(parent, child, 0, sum, bytes);
            }
        }
        finish(shape, schedule, sum);
    }

    /** Moves the result from the first member to the root. */
    private static void finish(Shape shape, Schedule schedule, Place sum) {
        final int self = shape.self();
        final int root = shape.root();
        final long bytes = shape.bytes();
        final boolean moves = root != 0 && bytes != 0;
        final Inlet ready = schedule.counts(moves && self == 0 ? 1 : 0);
        final Inlet result = schedule.result(bytes, moves && self == root ? bytes : 0);
        if (moves && self == root) {
            schedule.count(0, ready);
        }
        if (self != 0) {
            return;
        }
        if (moves) {
            schedule.await(ready);
            schedule.put(root, result, 0, sum, bytes);
        } else {
            schedule.copy(sum, schedule.target(), bytes);
        }
    }

    /** Returns true if the member {@code bit} behind this one sends to it. */
    private static boolean isChild(int self, int bit, int members) {
        return (self & (bit - 1)) == 0 && (self & bit) == 0 && self + bit < members && bit > 0;
    }
}
