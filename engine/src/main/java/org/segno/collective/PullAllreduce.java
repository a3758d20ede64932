package org.segno.collective;

/**
 * Allreduce within one host in which each member combines one block: it reads the contributions of all to the block,
 * combines them in the order of the members, and writes the block to the results of all. It does so in pieces, which
 * stay in its cache from the read to the write. Each byte passes from one core to another twice at most, whatever the
 * number of members.
 *
 * <p>A member reads when all have begun the round. It alone reads a block of the contributions, and it writes the block
 * of the results later, so that a result may be in the place of its contribution. What it has written shows the others
 * that it reads theirs no more.
 *
 * <p>Not over links: there every contribution would wait for a request.
 */
final class PullAllreduce implements Algorithm {
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
        return "on one host: each reads one block of all and combines it";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.ALLREDUCE
                && shape.hosts().isOne()
                && shape.divided().length(0) != 0
                && shape.divided().length(shape.members() - 1) != 0;
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final int others = shape.members() - 1;
        final Lengths blocks = shape.divided();
        final long length = blocks.length(self);
        final long step = (length / PIECES + PIECE) / PIECE * PIECE;
        final long piece = Math.min(step, length);
        final Inlet source = schedule.readable(others == 0 ? 0 : shape.total());
        final Inlet result = schedule.result(shape.total(), shape.countedOthers(blocks));
        final Inlet ready = schedule.counts(others);
        final Inlet parts = schedule.slots(piece * others, length * others);
        // In place, the result may overwrite this member's own part before its turn.
        final boolean early = shape.inPlace() && self > 1;
        final Place scratch = early ? schedule.scratch(piece) : schedule.target();
        schedule.countOthers(ready);
        schedule.await(ready);
        for (long begin = 0; begin < length; begin += step) {
            final long bytes = Math.min(step, length - begin);
            final long offset = blocks.offset(self) + begin;
            for (int distance = 1; distance <= others; distance++) {
                schedule.get(shape.after(self, distance), source, offset, parts, (distance - 1) * piece, bytes);
            }
            schedule.await(parts, (length - begin - bytes) * others);
            final Place target = schedule.target().at(offset);
            final Place sum = early ? scratch : target;
            Place left = part(shape, schedule, parts, 0, offset, piece);
            for (int member = 1; member <= others; member++) {
                schedule.combine(left, part(shape, schedule, parts, member, offset, piece), sum, bytes);
                left = sum;
            }
            for (int distance = 1; distance <= others; distance++) {
                schedule.put(shape.after(self, distance), result, offset, left, bytes);
            }
            schedule.copy(left, target, bytes);
        }
    }

    /** Returns the contribution of a member to the present piece. */
    private static Place part(Shape shape, Schedule schedule, Inlet parts, int member, long offset, long piece) {
        final int distance = Math.floorMod(member - shape.self(), shape.members());
        return distance == 0 ? schedule.source().at(offset) : parts.place().at((distance - 1) * piece);
    }
}
