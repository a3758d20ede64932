package org.segno.simulator;

import java.util.BitSet;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.memory.Window;
import org.segno.node.Node;

/**
 * Arena of a node in the mixed workload, and the windows that its program opens. Bytes that no window has had must be
 * as they were before: zero.
 */
final class MixedArena implements MixedPart {
    private final Node node;
    private final Ledger ledger;
    private final Memory arena;

    /** Bytes that some window has had. */
    private final BitSet used = new BitSet();

    MixedArena(Node node, Ledger ledger) {
        this.node = node;
        this.ledger = ledger;
        this.arena = node.memory().arena();
    }

    /** Opens a window. */
    Window open(long bytes) {
        final Window opened = node.client().window(bytes);
        use(opened.base(), opened.length());
        return opened;
    }

    private void use(long base, long bytes) {
        used.set((int) base, (int) (base + bytes));
    }

    /** Finds the windows that the messenger has opened. */
    @Override
    public void begin() {
        final NodeMemory memory = node.memory();
        final long table = memory.layout().offset(Part.WINDOW_TABLE);
        for (int entry = 0; entry < memory.layout().dimensions().windows(); entry++) {
            final long at = table + (long) entry * NodeLayout.WINDOW_LENGTH;
            final long length = memory.owner().getLong(at + WindowTable.LENGTH_OFFSET);
            if (length != WindowTable.NO_WINDOW) {
                use(memory.owner().getLong(at), length);
            }
        }
    }

    @Override
    public boolean isIdle() {
        return true;
    }

    /** Checks the bytes beside all windows. */
    @Override
    public void check() {
        ledger.checked();
        final int end = (int) node.memory().layout().length(Part.WINDOWS);
        for (int at = used.nextClearBit(0); at < end; at = used.nextClearBit(at + 1)) {
            if (arena.getByte(at) != 0) {
                ledger.defect("the memory of rank " + node.rank() + " holds " + arena.getByte(at) + " at " + at
                        + ", beside all windows");
                return;
            }
        }
    }
}
