package org.segno.tools.inspect.record;

import org.segno.engine.fifo.RunRing;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.tools.output.Table;

/** Rows of run ring entries, and checks of their words. */
public final class RunRows {
    private final Table table =
            Table.of("runs", "rank", "fifo", "position", "pattern", "generation", "first", "slots", "arms", "state");
    private final Broken broken;

    /** Creates an empty table. Invalid values are added to {@code broken}. */
    public RunRows(Broken broken) {
        this.broken = broken;
    }

    /**
     * One entry, read from the owner's half.
     *
     * @param first first slot of its section
     * @param slots number of slots of its section; zero for an open recording
     * @param arms number of ARM descriptors in the section
     * @param pattern index in the pattern states, not the id under which the pattern was recorded
     * @param generation generation of the round
     * @param open true for a recording that has not ended
     */
    public record Run(int first, long slots, int arms, int pattern, long generation, boolean open) {
        /** Reads the entry at {@code offset}. */
        public static Run read(Memory owner, long offset) {
            final int slots = owner.getInt(offset + 4);
            final long end = owner.getLongAcquire(offset + 24);
            final boolean recording = slots == RunRing.OPEN;
            return new Run(
                    owner.getInt(offset),
                    recording ? Math.max(0, end - 1) : slots,
                    owner.getInt(offset + 20),
                    owner.getInt(offset + 16),
                    owner.getLong(offset + 8),
                    recording && end == 0);
        }

        /** Returns true if its section and its pattern are within the node's. */
        public boolean isPossible(NodeDimensions d) {
            return first >= 0
                    && slots >= 0
                    && slots <= (long) d.patternSlots() - first
                    && arms >= 0
                    && (open || arms <= slots)
                    && pattern >= 0
                    && pattern < d.patterns()
                    && generation >= 1;
        }
    }

    /** Returns the rows so far. */
    public Table table() {
        return table;
    }

    /** Adds the entry at {@code offset}. */
    public void add(NodeMemory node, String fifo, long position, long offset, boolean finished) {
        final Run run = Run.read(node.owner(), offset);
        table.row(
                node.rank(),
                fifo,
                position,
                run.pattern(),
                run.generation(),
                run.first(),
                run.open() ? null : run.slots(),
                run.arms(),
                finished ? "finished" : run.open() ? "open" : "waits");
    }

    /** Checks the entry at {@code offset}. */
    public void check(NodeMemory node, String where, long offset) {
        final Run run = Run.read(node.owner(), offset);
        final NodeDimensions d = node.layout().dimensions();
        broken.unless(
                run.isPossible(d),
                node.rank(),
                where,
                run + " is invalid: the pattern buffer has " + d.patternSlots() + " slots, there are " + d.patterns()
                        + " patterns");
    }
}
