package org.segno.collective;

/**
 * Allreduce around a ring, in the order of the members: the sums pass from the first member to the last one, and the
 * results from the last one to the first, the second and so on, in pieces that follow each other. Each member sends all
 * bytes twice at most, and to one other member only.
 *
 * <p>The ring of Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations, 2009, begins
 * each block at another member. It therefore combines in another order for each block, and is not suited for operators
 * that are not commutative. Here all pieces begin at the first member.
 *
 * <p>Nobody writes a result early: a member has begun the round, and has read its part of a piece, when the last member
 * has the sum of the piece. The results lead back from each member to the one that sends it sums.
 */
final class RingAllreduce implements Algorithm {
    /** Least length of a piece. */
    private static final long PIECE = 32 << 10;

    /** Largest number of pieces, so that sections stay short. */
    private static final long PIECES = 32;

    @Override
    public String name() {
        return Algorithms.RING;
    }

    @Override
    public String description() {
        return "from each to the next, sums and then results, in pieces";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.ALLREDUCE;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final int members = shape.members();
        final long bytes = shape.bytes();
        if (members == 1) {
            schedule.copy(schedule.source(), schedule.target(), bytes);
            return;
        }
        final Inlet sums = schedule.slots(bytes, self == 0 ? 0 : Schedule.counted(bytes));
        final Inlet result = schedule.result(bytes, self == members - 1 ? 0 : Schedule.counted(bytes));
        final Ring ring = new Ring(shape, schedule, sums, result);
        final long length = (bytes / PIECES + PIECE) / PIECE * PIECE;
        final int pieces = (int) Math.max(1, (bytes + length - 1) / length);
        // A piece passes through one member after the other: its result is back as many pieces later as there are
        // members.
        for (int piece = 0; piece < pieces + members; piece++) {
            if (piece < pieces) {
                ring.sum(piece * length, Math.min(length, bytes - piece * length));
            }
            final int finished = piece - members;
            if (finished >= 0) {
                ring.finish(finished * length, Math.min(length, bytes - finished * length));
            }
        }
    }

    /** Steps of this member for a piece. */
    private record Ring(Shape shape, Schedule schedule, Inlet sums, Inlet result) {
        /** Adds this member's part to the sum of those before it, and sends it to the next one. */
        void sum(long offset, long length) {
            Place sum = schedule.source().at(offset);
            if (shape.self() != 0) {
                schedule.await(sums, shape.bytes() - offset - length);
                schedule.combine(sums.place().at(offset), sum, schedule.target().at(offset), length);
                sum = schedule.target().at(offset);
            }
            final boolean isLast = shape.self() == shape.members() - 1;
            schedule.put(shape.after(shape.self(), 1), isLast ? result : sums, offset, sum, length);
        }

        /** Forwards the result, unless the next member is the last one. */
        void finish(long offset, long length) {
            if (shape.self() < shape.members() - 1) {
                schedule.await(result, shape.bytes() - offset - length);
            }
            if (shape.self() < shape.members() - 2) {
                schedule.put(shape.self() + 1, result, offset, schedule.target().at(offset), length);
            }
        }
    }
}
