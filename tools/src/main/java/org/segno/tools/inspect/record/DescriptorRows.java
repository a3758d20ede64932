package org.segno.tools.inspect.record;

import org.segno.engine.counter.CounterSettings;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.FlagNames;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.tools.output.Table;

/** Rows of descriptors, and checks of their words. */
public final class DescriptorRows {
    private final Table table;
    private final Broken broken;

    /** Creates an empty table named {@code list}. */
    public DescriptorRows(String list, Broken broken) {
        this.table = Table.of(
                list, "rank", "fifo", "position", "kind", "flags", "to", "from", "target", "bytes", "injectionCounter");
        this.broken = broken;
    }

    /** Returns the rows so far. */
    public Table table() {
        return table;
    }

    /** Adds the descriptor at {@code offset} in the owner's half. */
    public void add(NodeMemory node, String fifo, long position, long offset) {
        add(node.rank(), node.owner(), fifo, position, offset);
    }

    /** Adds the descriptor of {@code rank} at {@code offset} of {@code memory}. */
    public void add(int rank, Memory memory, String fifo, long position, long offset) {
        final Descriptor descriptor = new Descriptor(memory).wrap(offset);
        table.row(
                rank,
                fifo,
                position,
                Operation.name(descriptor.operation()),
                FlagNames.of(memory.getLong(offset)),
                DescriptorText.to(descriptor),
                DescriptorText.from(descriptor),
                DescriptorText.target(descriptor),
                DescriptorText.bytes(descriptor),
                descriptor.injectionCounter() == Descriptor.NO_COUNTER
                        ? "-"
                        : Integer.toString(descriptor.injectionCounter()));
    }

    /** Checks the descriptor at {@code offset} for values that no engine would execute. */
    public void check(NodeMemory node, String where, long offset) {
        final Descriptor descriptor = new Descriptor(node.owner()).wrap(offset);
        final int operation = descriptor.operation();
        final boolean known = operation >= Operation.PUT && operation <= Operation.MULTICAST;
        final int rank = node.rank();
        broken.unless(known, rank, where, "unknown operation " + operation);
        if (!known) {
            return;
        }
        final NodeDimensions d = node.layout().dimensions();
        final boolean remote = operation <= Operation.COUNT || DescriptorText.isMulticast(descriptor);
        for (int target = 0; remote && target < DescriptorText.targets(descriptor); target++) {
            final int to = descriptor.targetRank(target);
            broken.unless(to >= 0 && to < d.size(), rank, where, "target rank " + to + " of " + d.size());
        }
        broken.unless(
                !DescriptorText.isMulticast(descriptor) || DescriptorText.targets(descriptor) == descriptor.targets(),
                rank,
                where,
                descriptor.targets() + " targets of 1 to " + Descriptor.MAX_TARGETS);
        broken.unless(
                descriptor.reserved() == 0,
                rank,
                where,
                "reserved field 0x" + Integer.toHexString(descriptor.reserved()) + " must be 0");
        final int counter = descriptor.injectionCounter();
        broken.unless(
                counter >= Descriptor.NO_COUNTER && counter < d.injectionCounters(),
                rank,
                where,
                "injection counter " + counter + " of " + d.injectionCounters());
        if (DescriptorText.hasSource(descriptor)) {
            checkSource(node, where, descriptor);
        }
    }

    private void checkSource(NodeMemory node, String where, Descriptor descriptor) {
        final long length = descriptor.isSourceCounter()
                ? counterLength(node, descriptor.sourceOperand())
                : new WindowTable(node).open(descriptor.sourceOperand());
        final long from = descriptor.sourceOffset();
        final long bytes = descriptor.length();
        broken.unless(
                length != WindowTable.NO_WINDOW && from >= 0 && bytes >= 0 && from <= length - bytes,
                node.rank(),
                where,
                "source " + from + " + " + bytes + " bytes is outside " + DescriptorText.source(descriptor) + " of "
                        + length + " bytes");
    }

    private static long counterLength(NodeMemory node, int operand) {
        final int counter = Descriptor.operandCounter(operand);
        return counter < node.layout().dimensions().receptionCounters()
                ? CounterSettings.limit(node.owner(), node.counterSettingsOffset(counter))
                : WindowTable.NO_WINDOW;
    }
}
