package org.segno.engine.counter;

import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.SeenEntry;
import org.segno.status.Refusal;

/**
 * Check of the operations on one node's reception counters, for the engine that lands and for loans of the application.
 * A counter must exist, be enabled in its use with this incarnation, admit the source and grant it the right.
 */
public final class CounterAdmission {
    /** Source of a change by the counter's owner itself, which is always admitted. */
    public static final int OWNER = -3;

    private final Memory states;
    private final long stateOffset;
    private final int rank;
    private final Memory settings;
    private final RankSets sets;
    private final int counters;
    private final long settingsOffset;

    /** Creates the check for counters of {@code target}. The {@code peers} belong to the origin of the operations. */
    public CounterAdmission(NodeMemory target, PeerStates peers) {
        this.states = peers.memory();
        this.rank = target.rank();
        this.stateOffset = peers.wordOffset(target.rank());
        this.settings = target.owner();
        this.sets = new RankSets(target);
        this.counters = target.layout().dimensions().receptionCounters();
        this.settingsOffset = target.counterSettingsOffset(0);
    }

    /**
     * Returns the flags of a counter that exists, is enabled, has this incarnation and grants {@code source} the right.
     * Otherwise returns a code below zero. The counter's other settings are then valid until it is disabled and quiet.
     */
    public int admit(int counter, int incarnation, int source, int right) {
        final long word = states.getLongAcquire(stateOffset);
        if (PeerStates.isGone(word, rank)) {
            return (PeerStates.isDead(word, rank) ? Refusal.PEER_DEAD : Refusal.PEER_LEFT).code();
        }
        if (counter < 0 || counter >= counters) {
            return Refusal.NO_SUCH_COUNTER.code();
        }
        final long offset = settingsAt(counter);
        final long state = CounterSettings.stateAcquire(settings, offset);
        final int flags = CounterSettings.flags(state);
        if (!CounterSettings.has(flags, CounterSettings.ENABLED)) {
            // A closed counter already has the incarnation of its next use.
            final boolean closed = CounterSettings.incarnation(state) > incarnation;
            return (closed ? Refusal.STALE_COUNTER : Refusal.COUNTER_DISABLED).code();
        }
        if (CounterSettings.incarnation(state) != incarnation) {
            return Refusal.STALE_COUNTER.code();
        }
        final int sources = CounterSettings.sources(settings, offset);
        if (source == OWNER) {
            return flags;
        }
        if (sources != CounterSettings.ANYBODY && sources != source && !sets.contains(sources, source)) {
            return Refusal.SOURCE_NOT_ADMITTED.code();
        }
        return CounterSettings.has(flags, right) ? flags : withoutRight(right);
    }

    private static int withoutRight(int right) {
        return switch (right) {
            case CounterSettings.GET -> Refusal.NOT_READABLE.code();
            case CounterSettings.ATOMIC -> Refusal.NOT_ATOMIC.code();
            default -> Refusal.NOT_WRITABLE.code();
        };
    }

    /** Returns true if the target has died or left. */
    public boolean isTargetGone() {
        return PeerStates.isGone(states.getLongAcquire(stateOffset), rank);
    }

    /** Returns the settings of a counter as they are, or null for an id that does not exist. */
    public @Nullable SeenEntry seen(int counter) {
        return counter < 0 || counter >= counters ? null : SeenEntry.ofWord(settings, settingsAt(counter));
    }

    /** Returns the offset in the target's half of the settings of a counter. */
    public long settingsAt(int counter) {
        return settingsOffset + (long) counter * NodeLayout.COUNTER_SETTINGS_LENGTH;
    }
}
