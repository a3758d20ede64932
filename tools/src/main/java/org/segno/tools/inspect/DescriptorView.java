package org.segno.tools.inspect;

import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.tools.inspect.record.Broken;
import org.segno.tools.inspect.record.DescriptorRows;
import org.segno.tools.inspect.record.FifoState;
import org.segno.tools.inspect.record.Words;
import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/**
 * View of one descriptor, word by word.
 *
 * <p>Of an ordinary FIFO it shows the descriptor at a position, else the one at the head, else the last one executed.
 * Of a recording or persistent FIFO it shows one slot of the pattern buffer.
 */
final class DescriptorView implements View {
    private final Selection selection;
    private final Broken broken;
    private final DescriptorRows rows;
    private final Table words = Words.table();

    DescriptorView(Selection selection, Broken broken) {
        this.selection = selection;
        this.broken = broken;
        this.rows = new DescriptorRows("descriptors", broken);
    }

    @Override
    public void look(ObservedRank rank) {
        final NodeMemory node = rank.memory();
        final NodeDimensions d = node.layout().dimensions();
        final int fifos = d.contexts() * (d.fifos() + 2);
        final int id = selection.hasId() ? selection.idOr(0) : 0;
        if (id < 0 || id >= fifos) {
            throw Selection.nothing("rank " + node.rank() + " has FIFOs 0 to " + (fifos - 1) + ": --id " + id);
        }
        final FifoState fifo = FifoState.of(node, id);
        if (fifo.hasRuns()) {
            final long slot = selection.fromOr(0);
            if (slot < 0 || slot >= d.patternSlots()) {
                throw Selection.nothing(
                        "the pattern buffer has slots 0 to " + (d.patternSlots() - 1) + ": --from " + slot);
            }
            show(
                    node,
                    "slot",
                    slot,
                    node.layout().offset(Part.PATTERN_BUFFER)
                            + ((long) fifo.context() * d.patternSlots() + slot) * NodeLayout.DESCRIPTOR_LENGTH);
        } else if (fifo.check(node, broken) && fifo.tail() > 0) {
            final long latest = fifo.head() < fifo.tail() ? fifo.head() : fifo.tail() - 1;
            final long position = selection.fromOr(latest);
            if (position < Math.max(0, fifo.tail() - fifo.capacity()) || position >= fifo.tail()) {
                throw Selection.nothing(fifo.where() + " holds positions " + Math.max(0, fifo.tail() - fifo.capacity())
                        + " to " + (fifo.tail() - 1) + ": --from " + position);
            }
            show(node, fifo.where(), position, fifo.slot(node, position));
        }
    }

    private void show(NodeMemory node, String fifo, long position, long offset) {
        rows.add(node, fifo, position, offset);
        Words.ofDescriptor(node.owner(), offset)
                .addTo(words, node.rank(), fifo + " " + position, node.owner(), offset, selection.hex());
    }

    @Override
    public void addTo(Report report) {
        report.add(rows.table().size() == 0 ? "no descriptor yet" : "", rows.table())
                .add(words);
    }
}
