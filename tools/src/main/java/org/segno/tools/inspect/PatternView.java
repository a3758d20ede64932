package org.segno.tools.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.InjectionCounter;
import org.segno.pattern.PatternEntry;
import org.segno.status.Refusal;
import org.segno.tools.inspect.record.Broken;
import org.segno.tools.inspect.record.DescriptorRows;
import org.segno.tools.inspect.record.FifoState;
import org.segno.tools.inspect.record.PatternSection;
import org.segno.tools.inspect.record.RunRows;
import org.segno.tools.inspect.record.RunRows.Run;
import org.segno.tools.inspect.record.Words;
import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/**
 * View of patterns: their sections, their progress, and the waiting runs.
 *
 * <p>A pattern is selected by its index in the file, because ids are unique only within a context.
 */
final class PatternView implements View {
    private final Selection selection;
    private final Broken broken;
    private final Table patterns = PatternSection.table();
    private final Table words = Words.table();
    private final RunRows runs;
    private final DescriptorRows section;
    private final List<String> more = new ArrayList<>();
    private long listed;

    PatternView(Selection selection, Broken broken) {
        this.selection = selection;
        this.broken = broken;
        this.runs = new RunRows(broken);
        this.section = new DescriptorRows("section", broken);
    }

    @Override
    public void look(ObservedRank rank) {
        final NodeMemory node = rank.memory();
        final NodeDimensions d = node.layout().dimensions();
        listed = 0;
        for (int context = 0; context < d.contexts(); context++) {
            // The states are read before the rings: an executed round was started earlier, so no state appears ahead of
            // its runs.
            final long[] executed = executed(node, context, d);
            final Map<Integer, Run> last = new TreeMap<>();
            lookAtRuns(node, FifoState.of(node, context * (d.fifos() + 2) + d.fifos()), last);
            lookAtRuns(node, FifoState.of(node, context * (d.fifos() + 2) + d.fifos() + 1), last);
            for (int index = 0; index < d.patterns(); index++) {
                if (selection.admits(index)) {
                    lookAtPattern(node, context, index, executed[index], last.get(index));
                }
            }
        }
        if (!selection.more(listed).isEmpty()) {
            more.add("rank " + node.rank() + " patterns: " + selection.more(listed));
        }
    }

    /**
     * Records the latest run of each pattern in a ring: waiting runs, and earlier ones that have not been overwritten.
     */
    private void lookAtRuns(NodeMemory node, FifoState fifo, Map<Integer, Run> last) {
        if (!fifo.check(node, broken)) {
            return;
        }
        for (long position = Math.max(0, fifo.tail() - fifo.capacity() + 1); position < fifo.tail(); position++) {
            final long offset = fifo.slot(node, position);
            final Run run = Run.read(node.owner(), offset);
            final boolean waits = position >= fifo.head();
            if (waits && fifo.isStill(position)) {
                runs.check(node, fifo.where() + " position " + position, offset);
            }
            if (run.isPossible(node.layout().dimensions())) {
                last.merge(run.pattern(), run, (a, b) -> b.generation() >= a.generation() ? b : a);
                if (waits && selection.admits(run.pattern())) {
                    runs.add(node, fifo.where(), position, offset, false);
                }
            }
        }
    }

    private static long stateOffset(NodeMemory node, int context, int index) {
        return node.layout().offset(Part.PATTERN_STATES)
                + ((long) context * node.layout().dimensions().patterns() + index) * NodeLayout.PATTERN_STATE_LENGTH;
    }

    private static long[] executed(NodeMemory node, int context, NodeDimensions d) {
        final long[] executed = new long[d.patterns()];
        for (int index = 0; index < executed.length; index++) {
            executed[index] = node.owner().getLongAcquire(stateOffset(node, context, index));
        }
        return executed;
    }

    private void lookAtPattern(NodeMemory node, int context, int index, long executed, @Nullable Run run) {
        final Memory owner = node.owner();
        final NodeDimensions d = node.layout().dimensions();
        final long state = stateOffset(node, context, index);
        final long error = owner.getLongAcquire(state + Long.BYTES);
        final PatternSection recorded = PatternSection.read(node, context, index);
        if (executed == 0 && error == 0 && run == null && !recorded.exists() && !selection.hasId()) {
            return;
        }
        final boolean possible = recorded.isPossible(d);
        final int code = InjectionCounter.code(error);
        if (selection.shown(++listed) == listed) {
            patterns.row(
                    node.rank(),
                    context,
                    index,
                    possible ? recorded.id() : null,
                    executed,
                    run == null ? null : run.generation(),
                    possible ? recorded.first() : null,
                    possible ? recorded.slots() : null,
                    possible ? recorded.bytes(owner, PatternSection.start(node, context)) : null,
                    possible ? recorded.targets(owner, PatternSection.start(node, context)) : null,
                    possible ? recorded.roundsName() : null,
                    error == 0 ? null : Refusal.reason(code) + " (rank " + InjectionCounter.rank(error) + ")");
        }
        final String where = "pattern " + index + " of context " + context;
        broken.unless(!recorded.exists() || possible, node.rank(), where, recorded + " is invalid");
        broken.unless(executed >= 0, node.rank(), where, "executed " + executed);
        broken.unless(
                error == 0 || Refusal.of(code).code() == code,
                node.rank(),
                where,
                "error word " + Long.toHexString(error) + ": code " + code);
        if (selection.hasId()) {
            Words.PATTERN_STATE.addTo(words, node.rank(), where, owner, state, selection.hex());
            Words.PATTERN_ENTRY.addTo(
                    words, node.rank(), where, owner, PatternEntry.offset(node, context, index), selection.hex());
            if (possible) {
                list(node, context, recorded.first(), recorded.slots());
            } else if (run != null) {
                list(node, context, run.first(), run.slots());
            }
        }
    }

    private void list(NodeMemory node, int context, int firstSlot, long slots) {
        final long start = PatternSection.start(node, context);
        final long first = Math.max(firstSlot, selection.fromOr(firstSlot));
        final long count = Math.max(0, firstSlot + slots - first);
        for (long slot = first; slot < first + selection.shown(count); slot++) {
            section.add(node, "slot", slot, start + slot * NodeLayout.DESCRIPTOR_LENGTH);
        }
        if (!selection.more(count).isEmpty()) {
            more.add("rank " + node.rank() + ": " + selection.more(count));
        }
    }

    @Override
    public void addTo(Report report) {
        report.add(
                patterns.size() == 0
                        ? "no patterns"
                        : "patterns: executed and error are written by the engine, all else by the application",
                patterns);
        report.add(runs.table().size() == 0 ? "no runs wait" : "runs that wait", runs.table());
        report.add(words.size() == 0 ? "" : "words", words);
        report.add(section.table().size() == 0 ? "" : "section, written by the application", section.table());
        more.forEach(report::note);
    }
}
