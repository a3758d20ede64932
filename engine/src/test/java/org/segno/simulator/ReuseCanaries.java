package org.segno.simulator;

import java.util.List;

/** Canaries in the uses of ids and memory, in rights, and in events. */
final class ReuseCanaries {
    private static final String ADMISSION = "engine.counter.CounterAdmission";
    private static final String CLOSINGS = "engine.reuse.Closings";
    private static final String LANDING = "engine.landing.Landing";

    private ReuseCanaries() {}

    /** Defects of ids and memory that are used again. */
    static List<Canary> ofUses() {
        return List.of(
                new Canary(
                        "a counter admits PUTs to an earlier use",
                        ADMISSION,
                        "if (CounterSettings.incarnation(state) != incarnation) { return Refusal.STALE_COUNTER.code(); }",
                        ""),
                new Canary(
                        "a counter keeps the number of its last use",
                        "engine.reuse.CounterGroup",
                        "MemoryAccess.newReceptionCounter(recording, node, id, ++incarnations[id], range);",
                        "MemoryAccess.newReceptionCounter(recording, node, id, incarnations[id], range);"),
                new Canary(
                        "a window is used again before its operations have ended",
                        CLOSINGS,
                        "() -> first(unfinished(thing), before.get(), closing(window)),",
                        "() -> first(unfinished(thing), null, closing(window)),"),
                new Canary(
                        "a window that is used again is not zeroed",
                        "engine.reuse.WindowArena",
                        "zero(base, Math.min(bytes, used - base));",
                        ""),
                new Canary(
                        "a counter that is closed still admits PUTs",
                        "engine.reuse.PendingClosing",
                        "disable.run(); since = engines.counts();",
                        "since = engines.counts();"));
    }

    /** Defects of rights, and of the refusals without them. */
    static List<Canary> ofRights() {
        return List.of(
                new Canary(
                        "a counter is written to, or read, without the right",
                        ADMISSION,
                        "return CounterSettings.has(flags, right) ? flags : withoutRight(right);",
                        "return flags;"),
                new Canary(
                        "a counter admits every rank",
                        ADMISSION,
                        "if (sources != CounterSettings.ANYBODY && sources != source && !sets.contains(sources, source)) {",
                        "if (sources == source && rank < 0) {"),
                new Canary(
                        "a refusal names the right to put instead of the one that is missing",
                        ADMISSION,
                        "case CounterSettings.ATOMIC -> Refusal.NOT_ATOMIC.code();",
                        "case CounterSettings.ATOMIC -> Refusal.NOT_WRITABLE.code();"),
                new Canary(
                        "a message that is declined is reported as fetched",
                        "message.RendezvousReceives",
                        "refusal = message.place().isSet() ? 0 : refusal;",
                        "refusal = 0;"));
    }

    /** Defects of hits, notices and messages that are deferred. */
    static List<Canary> ofEvents() {
        return List.of(
                new Canary("an owed event is lost", LANDING, "owed.add(counter, context);", "return;"),
                new Canary(
                        "an expectation of what has arrived raises no hit",
                        "memory.ReceptionCounter",
                        "if (hits != null && before + bytes <= 0) {",
                        "if (hits != null && before + bytes < Long.MIN_VALUE / 2) {"),
                new Canary(
                        "a landed event of a counter is not raised",
                        LANDING,
                        "lane.publishEvent(counter);",
                        "lane.flush();"),
                new Canary(
                        "a deferred message is fetched as another one was announced",
                        "message.DeferredMessages",
                        "receives.begin(rank(tokens[slot]), announcements, slot * Announcement.LENGTH, places[slot], refusals[slot]);",
                        "receives.begin(rank(tokens[slot]), announcements, 0, places[slot], refusals[slot]);"));
    }
}
