package org.segno.collective;

/**
 * Allreduce of few bytes among many members, which form a grid of about sqrt(members) rows of adjacent members: each
 * writes its contribution to its slot at the others of its row, and combines those of the row; then it writes this sum
 * to its slot at the others of its column, and combines those of the column. A member sends about 2 sqrt(members)
 * messages, and the order of the members is kept. Van de Geijn: On global combine operations, 1994.
 *
 * <p>The last row may have fewer members than the others. They then write its sum to the columns that it lacks, too. A
 * member of such a column does not send to them, but one of its row does, after a message of it.
 */
final class GridAllreduce implements Algorithm {
    private static final long SLOTS_LIMIT = 1 << 16;

    @Override
    public String name() {
        return "rows-and-columns";
    }

    @Override
    public String description() {
        return "each writes its slot within a row and then a column of a grid, up to 64 KiB of slots";
    }

    @Override
    public boolean isValid(Shape shape) {
        final Grid grid = Grid.of(shape.members());
        return shape.kind() == CollectiveKind.ALLREDUCE
                && Schedule.align(shape.bytes()) <= SLOTS_LIMIT / (grid.width + grid.rows());
    }

    @Override
    public void write(Shape shape, Schedule schedule) {
        final Grid grid = Grid.of(shape.members());
        final long bytes = shape.bytes();
        final int row = shape.self() / grid.width;
        final int column = shape.self() % grid.width;
        final int size = grid.size(row);
        final Slots inRow = Slots.open(schedule, bytes, size);
        final Slots inColumn = Slots.open(schedule, bytes, grid.rows());
        for (int distance = 1; distance < size; distance++) {
            final int other = row * grid.width + (column + distance) % size;
            inRow.put(other, column, schedule.source());
        }
        final Place sum = schedule.scratch(bytes);
        schedule.copy(inRow.combine(column, schedule.source(), sum), sum, bytes);
        // The members of an incomplete row take turns in the columns: there, size is less than the width.
        final int step = size;
        for (int distance = 1; distance < grid.rows(); distance++) {
            final int other = (row + distance) % grid.rows();
            for (int to = column; to < grid.size(other); to += step) {
                inColumn.put(other * grid.width + to, row, sum);
            }
        }
        schedule.copy(inColumn.combine(row, sum, schedule.target()), schedule.target(), bytes);
    }

    /** Members in rows of a width. */
    private record Grid(int members, int width) {
        static Grid of(int members) {
            return new Grid(members, (int) Math.ceil(Math.sqrt(members)));
        }

        int rows() {
            return (members + width - 1) / width;
        }

        /** Returns the number of members in a row. */
        int size(int row) {
            return Math.min(width, members - row * width);
        }
    }

    /** A slot for each member of a row or a column; each has another writer. */
    private record Slots(Schedule schedule, Inlet inlet, int count, long bytes) {
        static Slots open(Schedule schedule, long bytes, int count) {
            final Inlet inlet = schedule.slots(Schedule.align(bytes) * count, Schedule.counted(bytes) * (count - 1));
            return new Slots(schedule, inlet, count, bytes);
        }

        private long offset(int index) {
            return index * Schedule.align(bytes);
        }

        void put(int member, int index, Place from) {
            schedule.put(member, inlet, offset(index), from, bytes);
        }

        /** Combines all in order, this member's own one from another place, and returns the place of the result. */
        Place combine(int ownIndex, Place own, Place to) {
            schedule.await(inlet);
            Place sum = ownIndex == 0 ? own : inlet.place();
            for (int index = 1; index < count; index++) {
                schedule.combine(sum, index == ownIndex ? own : inlet.place().at(offset(index)), to, bytes);
                sum = to;
            }
            return sum;
        }
    }
}
