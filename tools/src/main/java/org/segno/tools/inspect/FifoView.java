package org.segno.tools.inspect;

import java.util.ArrayList;
import java.util.List;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.tools.inspect.record.Broken;
import org.segno.tools.inspect.record.DescriptorRows;
import org.segno.tools.inspect.record.FifoState;
import org.segno.tools.inspect.record.LaneRows;
import org.segno.tools.inspect.record.RunRows;
import org.segno.tools.inspect.record.Words;
import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** View of injection FIFOs with their waiting entries, and of the reception lanes. */
final class FifoView implements View {
    private final Selection selection;
    private final Broken broken;
    private final Table fifos = Table.of(
            "fifos",
            "rank",
            "id",
            "context",
            "fifo",
            "state",
            "slots",
            "head",
            "tail",
            "free",
            "priority",
            "descriptors");
    private final Table words = Words.table();
    private final DescriptorRows entries;
    private final RunRows runs;
    private final LaneRows lanes;
    private final List<String> more = new ArrayList<>();

    FifoView(Selection selection, Broken broken) {
        this.selection = selection;
        this.broken = broken;
        this.entries = new DescriptorRows("entries", broken);
        this.runs = new RunRows(broken);
        this.lanes = new LaneRows(broken);
    }

    @Override
    public void look(ObservedRank rank) {
        final NodeMemory node = rank.memory();
        final NodeDimensions d = node.layout().dimensions();
        final int count = d.contexts() * (d.fifos() + 2);
        if (selection.idOr(0) >= count) {
            throw Selection.nothing(
                    "there is no FIFO " + selection.idOr(0) + ": rank " + node.rank() + " has 0 to " + (count - 1));
        }
        for (int id = 0; id < count; id++) {
            final FifoState fifo = FifoState.of(node, id);
            if (selection.admits(id) && (selection.hasId() || fifo.isUsed())) {
                look(node, fifo);
            }
        }
        if (!selection.hasId()) {
            lanes.look(node);
        }
    }

    private void look(NodeMemory node, FifoState fifo) {
        final FifoMetadata metadata = fifo.metadata();
        fifos.row(
                node.rank(),
                fifo.id(),
                fifo.context(),
                fifo.name(),
                fifo.state(),
                fifo.capacity(),
                fifo.head(),
                fifo.tail(),
                fifo.capacity() - (fifo.tail() - fifo.head()),
                metadata.priority(),
                metadata.descriptorsAcquire());
        final String where = fifo.where();
        if (selection.hasId()) {
            Words.FIFO.addTo(words, node.rank(), where, node.owner(), fifo.offset(), selection.hex());
            words.row(node.rank(), where, null, "head", Long.toString(fifo.head()), "engine")
                    .row(node.rank(), where, null, "tail", Long.toString(fifo.tail()), "application");
        }
        if (fifo.check(node, broken)) {
            list(node, fifo);
        }
    }

    /**
     * Lists the waiting entries of a FIFO with valid words. With {@code --from} it also lists earlier entries that
     * have not been overwritten.
     */
    private void list(NodeMemory node, FifoState fifo) {
        final long last = fifo.tail();
        final long first = Math.max(selection.fromOr(fifo.head()), Math.max(0, last - fifo.capacity() + 1));
        final long count = Math.max(0, last - first);
        final long shown = selection.shown(count);
        for (long position = first; position < last; position++) {
            final long offset = fifo.slot(node, position);
            if (position >= fifo.head() && fifo.isStill(position)) {
                check(node, fifo, position, offset);
            }
            if (position < first + shown) {
                show(node, fifo, position, offset);
            }
        }
        final String hidden = selection.more(count);
        if (!hidden.isEmpty()) {
            more.add("rank " + node.rank() + " " + fifo.where() + ": " + hidden);
        }
    }

    private void check(NodeMemory node, FifoState fifo, long position, long offset) {
        final Broken found = new Broken();
        final String where = fifo.where() + " position " + position;
        if (fifo.hasRuns()) {
            new RunRows(found).check(node, where, offset);
        } else {
            new DescriptorRows("checked", found).check(node, where, offset);
        }
        // The engine may have executed the entry, and its slot may have been reused, since the first read. Then the
        // finding is discarded.
        if (!found.isEmpty() && fifo.isStill(position)) {
            broken.addAll(found);
        }
    }

    private void show(NodeMemory node, FifoState fifo, long position, long offset) {
        if (fifo.hasRuns()) {
            runs.add(node, fifo.where(), position, offset, position < fifo.head());
        } else {
            entries.add(node, fifo.where(), position, offset);
        }
        if (selection.hex()) {
            (fifo.hasRuns() ? Words.RUN : Words.ofDescriptor(node.owner(), offset))
                    .addTo(words, node.rank(), fifo.where() + " position " + position, node.owner(), offset, true);
        }
    }

    @Override
    public void addTo(Report report) {
        report.add("FIFOs: tail and settings are written by the application, head and status by the engine", fifos);
        report.add(words.size() == 0 ? "" : "words", words);
        report.add(entries.table().size() == 0 ? "no descriptors wait" : "descriptors", entries.table());
        report.add(runs.table().size() == 0 ? "" : "runs", runs.table());
        lanes.addTo(report, selection.hasId());
        more.forEach(report::note);
    }
}
