package org.segno.collective;

/**
 * Reduction within one host in which each member combines one block: it reads the contributions of all to the block and
 * combines them in the order of the members. For an allreduce, it then writes the block to the results of all; for a
 * reduce, to that of the root. It does so in pieces, which stay in its cache from the read to the write. Each byte
 * passes from one core to another twice at most, whatever the number of members.
 *
 * <p>A member reads when all have begun the round. Unless each member keeps its own block, it alone reads a block of
 * the contributions, and it writes the block of the results later, so that a result may be in the place of its
 * contribution. What it has written for an allreduce shows the others that it reads theirs no more. Otherwise they
 * learn that by a count.
 *
 * <p>Not over links: there every contribution would wait for a request.
 */
final class PullReduction implements Algorithm {
    /** Least length of a piece. */
    private static final long PIECE = 32 << 10;

    /** Largest number of pieces, so that sections stay short. */
    private static final long PIECES = 32;

    @Override
    public String name() {
        return "pull";
    }

    @Override
    public String description() {
        return "on one host: each reads one block of all and combines it; it needs an element for each, or a block";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.hosts().isOne()
                && (shape.kind() == CollectiveKind.REDUCE_SCATTER || DividedReduction.isDivisible(shape));
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final int others = shape.members() - 1;
        final boolean isForAll = shape.kind() == CollectiveKind.ALLREDUCE;
        final boolean isScattered = shape.kind() == CollectiveKind.REDUCE_SCATTER;
        final boolean isRoot = shape.kind() == CollectiveKind.REDUCE && self == shape.root();
        final Lengths blocks = isScattered ? shape.lengths() : shape.divided();
        final long length = blocks.length(self);
        final long step = (length / PIECES + PIECE) / PIECE * PIECE;
        final long piece = Math.min(step, length);
        final Inlet source = schedule.readable(others == 0 ? 0 : shape.total());
        final Inlet result = schedule.result(shape.total(), isForAll || isRoot ? shape.countedOthers(blocks) : 0);
        final Inlet ready = schedule.counts(others);
        final Inlet read = schedule.counts(isForAll ? 0 : others);
        final Inlet parts = schedule.slots(piece * others, length * others);
        // In place, the result may overwrite this member's own part before its turn, or what others have yet to read.
        final boolean early = shape.inPlace() && (self > 1 || isScattered);
        final boolean keeps = isForAll || isScattered || isRoot;
        final Place target = isScattered ? schedule.target() : schedule.target().at(blocks.offset(self));
        final Place sums = early || !keeps ? schedule.scratch(length) : target;
        final int[] receivers = DividedReduction.receivers(shape);
        final Pieces pieces = new Pieces(shape, schedule, parts, piece);
        schedule.countOthers(ready);
        schedule.await(ready);
        for (long begin = 0; begin < length; begin += step) {
            final long bytes = Math.min(step, length - begin);
            final long offset = blocks.offset(self) + begin;
            pieces.read(source, offset, bytes);
            schedule.await(parts, (length - begin - bytes) * others);
            final Place sum = pieces.combine(offset, sums.at(begin), bytes);
            for (final int receiver : receivers) {
                schedule.put(receiver, result, offset, sum, bytes);
            }
            schedule.copy(sum, sums.at(begin), bytes);
        }
        for (int i = 0; length == 0 && i < receivers.length; i++) {
            // A count in place of its block.
            schedule.count(receivers[i], result);
        }
        if (!isForAll) {
            schedule.countOthers(read);
            schedule.await(read);
        }
        schedule.copy(sums, keeps ? target : sums, length);
    }

    /** Contributions of the members to a piece of this member's block. Those of the others are in slots. */
    private record Pieces(Shape shape, Schedule schedule, Inlet parts, long length) {
        /** Reads those of the others, the next one first. */
        void read(Inlet source, long offset, long bytes) {
            for (int distance = 1; distance < shape.members(); distance++) {
                schedule.get(shape.after(shape.self(), distance), source, offset, parts, slot(distance), bytes);
            }
        }

        /** Combines all in the order of the members, and returns the place of the result. */
        Place combine(long offset, Place sum, long bytes) {
            Place left = of(0, offset);
            for (int member = 1; member < shape.members(); member++) {
                schedule.combine(left, of(member, offset), sum, bytes);
                left = sum;
            }
            return left;
        }

        private Place of(int member, long offset) {
            final int distance = shape.after(member, -shape.self());
            return distance == 0 ? schedule.source().at(offset) : parts.place().at(slot(distance));
        }

        private long slot(int distance) {
            return (distance - 1) * length;
        }
    }
}
