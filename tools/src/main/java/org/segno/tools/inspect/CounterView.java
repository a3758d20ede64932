package org.segno.tools.inspect;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.segno.engine.counter.CounterSettings;
import org.segno.engine.counter.RankSets;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeLayout.Half;
import org.segno.engine.memory.NodeMemory;
import org.segno.memory.InjectionCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.status.Refusal;
import org.segno.tools.inspect.record.Broken;
import org.segno.tools.inspect.record.Words;
import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** View of reception and injection counters: values, settings, refusals. */
final class CounterView implements View {
    private static final String[] FLAGS = {"enabled", "events", "put", "get", "atomic", "no-underflow"};

    private final Selection selection;
    private final Broken broken;
    private final Table reception = Table.of(
            "receptionCounters", "rank", "id", "value", "state", "incarnation", "base", "limit", "admits", "context");
    private final Table injection = Table.of("injectionCounters", "rank", "id", "value", "error", "refusedBy");
    private final Table words = Words.table();
    private final List<String> more = new ArrayList<>();
    private long listed;

    CounterView(Selection selection, Broken broken) {
        this.selection = selection;
        this.broken = broken;
    }

    @Override
    public void look(ObservedRank rank) {
        final NodeMemory node = rank.memory();
        final NodeDimensions d = node.layout().dimensions();
        listed = 0;
        for (int id = 0; id < d.receptionCounters(); id++) {
            if (selection.admits(id)) {
                lookAtReception(node, id);
            }
        }
        noteMore(node, "reception");
        listed = 0;
        for (int id = 0; id < d.injectionCounters(); id++) {
            if (selection.admits(id)) {
                lookAtInjection(node, id);
            }
        }
        noteMore(node, "injection");
    }

    private void noteMore(NodeMemory node, String kind) {
        final String hidden = selection.more(listed);
        if (!hidden.isEmpty()) {
            more.add("rank " + node.rank() + " " + kind + " counters: " + hidden);
        }
    }

    private void lookAtReception(NodeMemory node, int id) {
        final Memory owner = node.owner();
        final long offset = node.counterSettingsOffset(id);
        final long value = node.values().getLongAcquire(node.receptionValueOffset(id));
        final long state = CounterSettings.stateAcquire(owner, offset);
        if (state == 0 && value == 0 && !selection.hasId()) {
            return;
        }
        final int sources = CounterSettings.sources(owner, offset);
        if (selection.shown(++listed) == listed) {
            reception.row(
                    node.rank(),
                    id,
                    value,
                    state(CounterSettings.flags(state)),
                    CounterSettings.incarnation(state),
                    CounterSettings.base(owner, offset),
                    CounterSettings.limit(owner, offset),
                    sources(node, sources),
                    CounterSettings.has(CounterSettings.flags(state), CounterSettings.EVENTS)
                            ? CounterSettings.context(owner, offset)
                            : null);
        }
        check(node, id, state, sources);
        if (selection.hasId()) {
            final String where = "reception counter " + id;
            Words.COUNTER_SETTINGS.addTo(words, node.rank(), where, owner, offset, selection.hex());
            Words.RECEPTION_VALUE.addTo(
                    words, node.rank(), where, node.values(), node.receptionValueOffset(id), selection.hex());
        }
    }

    private void check(NodeMemory node, int id, long state, int sources) {
        final NodeDimensions d = node.layout().dimensions();
        final String where = "reception counter " + id;
        final int flags = CounterSettings.flags(state);
        broken.unless(
                !CounterSettings.has(flags, ~CounterSettings.ALL_FLAGS),
                node.rank(),
                where,
                "state flags " + flags + " contain unknown flags");
        if (!CounterSettings.has(flags, CounterSettings.ENABLED)) {
            return;
        }
        final long base = CounterSettings.base(node.owner(), node.counterSettingsOffset(id));
        final long limit = CounterSettings.limit(node.owner(), node.counterSettingsOffset(id));
        final long arena = node.layout().length(Half.ARENA);
        broken.unless(
                base >= 0 && limit >= 0 && base <= arena - limit,
                node.rank(),
                where,
                "base " + base + " + limit " + limit + " lies outside the " + arena + " bytes of windows and counters");
        broken.unless(
                (sources >= ReceptionCounter.NOBODY && sources < d.size())
                        || (RankSets.isSet(sources) && RankSets.index(sources) < d.rankSets()),
                node.rank(),
                where,
                RankSets.isSet(sources)
                        ? "admits set " + RankSets.index(sources) + " of " + d.rankSets()
                        : "admits rank " + sources + " of " + d.size());
        final int context = CounterSettings.context(node.owner(), node.counterSettingsOffset(id));
        broken.unless(
                context >= 0 && context < d.contexts(),
                node.rank(),
                where,
                "hits go to context " + context + " of " + d.contexts());
    }

    private static String sources(NodeMemory node, int sources) {
        if (RankSets.isSet(sources)) {
            final StringJoiner ranks = new StringJoiner(",", "ranks ", "");
            new RankSets(node).forEach(sources, rank -> ranks.add(Integer.toString(rank)));
            return ranks.toString();
        }
        return sources == ReceptionCounter.ANYBODY
                ? "anybody"
                : sources == ReceptionCounter.NOBODY ? "nobody" : "rank " + sources;
    }

    private static String state(int flags) {
        final StringBuilder names =
                new StringBuilder(CounterSettings.has(flags, CounterSettings.ENABLED) ? "" : "disabled");
        for (int bit = 0; bit < FLAGS.length; bit++) {
            if (CounterSettings.has(flags, 1 << bit)) {
                names.append(names.length() == 0 ? "" : ",").append(FLAGS[bit]);
            }
        }
        return names.toString();
    }

    private void lookAtInjection(NodeMemory node, int id) {
        final long offset = node.injectionValueOffset(id);
        final long value = node.values().getLongAcquire(offset);
        final long error = MemoryAccess.errorAcquire(node.values(), offset);
        if (value == 0 && error == 0 && !selection.hasId()) {
            return;
        }
        final int size = node.layout().dimensions().size();
        final int code = InjectionCounter.code(error);
        final int refuser = InjectionCounter.rank(error);
        if (selection.shown(++listed) == listed) {
            injection.row(node.rank(), id, value, reason(error, code), error == 0 ? null : Integer.valueOf(refuser));
        }
        broken.unless(
                error == 0 || (Refusal.of(code).code() == code && refuser >= 0 && refuser < size),
                node.rank(),
                "injection counter " + id,
                "error word " + Long.toHexString(error) + ": code " + code + " of rank " + refuser);
        if (selection.hasId()) {
            Words.INJECTION_VALUE.addTo(
                    words, node.rank(), "injection counter " + id, node.values(), offset, selection.hex());
        }
    }

    private static @Nullable String reason(long error, int code) {
        return error == 0 ? null : Refusal.reason(code);
    }

    @Override
    public void addTo(Report report) {
        report.add(
                reception.size() == 0
                        ? "no reception counters in use"
                        : "reception counters: values are written by landing engines and the owner,"
                                + " the rest by the owner",
                reception);
        report.add(
                injection.size() == 0
                        ? "all injection counters are at zero, without an error"
                        : "injection counters: written by the node's engine and its application",
                injection);
        report.add(words.size() == 0 ? "" : "words", words);
        more.forEach(report::note);
    }
}
