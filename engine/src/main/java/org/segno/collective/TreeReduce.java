package org.segno.collective;

/**
 * Reduction along a binomial tree: member m combines with m + 1, then m + 2, m + 4. A commutative operator allows
 * members to be numbered from the root, which then has the result. Otherwise the first one has it, and sends it to the
 * root, if that is another one. A member counts at each that sends to it when it begins a round.
 */
final class TreeReduce implements Algorithm {
    @Override
    public String name() {
        return "tree";
    }

    @Override
    public String description() {
        return "binomial tree to the root; if the operator is not commutative, to the first member, and on to the root";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.REDUCE;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int first = shape.isOrdered() ? 0 : shape.root();
        final int self = shape.after(shape.self(), -first);
        final long bytes = shape.bytes();
        final Inlet ready = schedule.counts(self == 0 ? 0 : 1);
        final int parent = self & (self - 1);
        for (int bit = 1; isChild(self, bit, shape.members()); bit <<= 1) {
            schedule.count(shape.after(first, self + bit), ready);
        }
        Place sum = schedule.source();
        final boolean isLeaf = !isChild(self, 1, shape.members());
        final Place own = self == 0 && shape.root() == first ? schedule.target() : schedule.scratch(isLeaf ? 0 : bytes);
        for (int bit = 1; bit < shape.members(); bit <<= 1) {
            final boolean receives = isChild(self, bit, shape.members());
            final Inlet child = schedule.slots(bytes, receives ? Schedule.counted(bytes) : 0);
            if (receives) {
                schedule.await(child);
                schedule.combine(sum, child.place(), own, bytes);
                sum = own;
            } else if (self - parent == bit) {
                schedule.await(ready);
                schedule.put(shape.after(first, parent), child, 0, sum, bytes);
            }
        }
        finish(shape, schedule, first, sum);
    }

    /** Moves the result from the member that has it to the root. */
    private static void finish(Shape shape, Schedule schedule, int first, Place sum) {
        final int self = shape.self();
        final int root = shape.root();
        final long bytes = shape.bytes();
        final boolean moves = root != first && bytes != 0;
        final Inlet ready = schedule.counts(moves && self == first ? 1 : 0);
        final Inlet result = schedule.result(bytes, moves && self == root ? bytes : 0);
        if (moves && self == root) {
            schedule.count(first, ready);
        }
        if (self != first) {
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
