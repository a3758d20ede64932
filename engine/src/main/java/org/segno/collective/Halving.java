package org.segno.collective;

/**
 * Recursive halving of adjacent blocks among active members, and doubling. There is a block for each position. In step
 * k, two members exchange halves of their blocks if only bit k of their positions differs. The member with bit 0 keeps
 * the first half. Thus they combine in the order of the members, from neighbours on. The sum of a block ends at the
 * position that has the bits of the block's number in reverse order.
 *
 * <p>Rabenseifner: Optimization of collective reduction operations, 2004, halves from the most distant members on, and
 * combines in another order. Traeff: An improved algorithm for (non-commutative) reduce-scatter with an application,
 * 2005, halves as here.
 */
record Halving(Schedule schedule, Pairing pairing, Lengths blocks) {
    /** Returns the block that ends at a position, or the position at which a block ends. */
    static int reversed(int number, int count) {
        return count == 1 ? 0 : Integer.reverse(number) >>> (Integer.SIZE - Integer.numberOfTrailingZeros(count));
    }

    private long bytes(int first, int count) {
        return blocks.offset(first + count - 1) + blocks.length(first + count - 1) - blocks.offset(first);
    }

    /** Returns the first of the blocks that this member has while it has a number of them. */
    private int first(int count) {
        return reversed(pairing.position(), pairing.active()) / count * count;
    }

    /** Combines the contributions in steps. All blocks of {@code sums} change, or contain parts of the sums. */
    void reduce(Place contribution, Place sums) {
        Place sum = contribution;
        for (int count = pairing.active() / 2; count > 0; count /= 2) {
            final int kept = first(count);
            final int given = kept ^ count;
            final long length = bytes(kept, count);
            final Inlet step = schedule.slots(length, pairing.isGiver() ? 0 : Schedule.counted(length));
            if (!pairing.isGiver()) {
                schedule.put(partner(count), step, 0, sum.at(blocks.offset(given)), bytes(given, count));
                schedule.await(step);
                final Place own = sum.at(blocks.offset(kept));
                final Place to = sums.at(blocks.offset(kept));
                final boolean isFirst = kept < given;
                schedule.combine(isFirst ? own : step.place(), isFirst ? step.place() : own, to, length);
                sum = sums;
            }
        }
    }

    /** Exchanges the blocks in steps, from the sum of one at each position on until all have all in their results. */
    void gather() {
        final int active = pairing.active();
        final long total = blocks.total(active);
        for (int count = 1; count < active; count *= 2) {
            final int own = first(count);
            final long arriving = Schedule.counted(bytes(own ^ count, count));
            final Inlet result = schedule.result(total, pairing.isGiver() ? 0 : arriving);
            if (!pairing.isGiver()) {
                final long offset = blocks.offset(own);
                schedule.put(partner(count), result, offset, schedule.target().at(offset), bytes(own, count));
                schedule.await(result);
            }
        }
    }

    /** Returns the member with which this one exchanges a number of blocks. */
    private int partner(int count) {
        final int bit = pairing.active() / 2 / count;
        return pairing.member(pairing.position() ^ bit);
    }
}
