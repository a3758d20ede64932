package org.segno.collective;

/**
 * All-to-all of short blocks in log2(members) messages of each member, in place of one to each other. A block for the
 * member j behind travels by the powers of two in j: in step k each member sends, as one message, all blocks with bit k
 * in j to the member 2^k behind it. Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all
 * communications in multiport message-passing systems, 1997.
 */
final class BruckExchange implements Algorithm {
    private static final long BYTES_LIMIT = 1 << 16;

    @Override
    public String name() {
        return Algorithms.BRUCK;
    }

    @Override
    public String description() {
        return "log2(members) messages with the blocks of several members, up to 64 KiB";
    }

    @Override
    public boolean isValid(Shape shape) {
        return shape.kind() == CollectiveKind.ALL_TO_ALL
                && shape.offsets() == null
                && shape.total() <= BYTES_LIMIT
                && shape.lengths().areAdjacent(shape.members());
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final int self = shape.self();
        final int members = shape.members();
        final long block = shape.length(0);
        // Places of the blocks for the member j behind, and in the end of those from the member j before.
        final Place[] places = new Place[members];
        for (int j = 0; j < members; j++) {
            places[j] = schedule.source().at(shape.offset(shape.after(self, j)));
        }
        for (int bit = 1; bit < members; bit <<= 1) {
            final long length = block * count(members, bit);
            final Inlet arrived = schedule.slots(length, Schedule.counted(length));
            final Place packed = schedule.scratch(length);
            long offset = 0;
            for (int j = bit; j < members; j = next(j, bit)) {
                schedule.copy(places[j], packed.at(offset), block);
                places[j] = arrived.place().at(offset);
                offset += block;
            }
            schedule.put(shape.after(self, bit), arrived, 0, packed, length);
            schedule.await(arrived);
        }
        for (int j = 0; j < members; j++) {
            schedule.copy(places[j], schedule.target().at(shape.offset(shape.after(self, -j))), block);
        }
    }

    /** Returns how many numbers below {@code limit} have a bit. */
    private static int count(int limit, int bit) {
        int count = 0;
        for (int j = bit; j < limit; j = next(j, bit)) {
            count++;
        }
        return count;
    }

    /** Returns the next number with a bit. */
    private static int next(int number, int bit) {
        return (number + 1) | bit;
    }
}
