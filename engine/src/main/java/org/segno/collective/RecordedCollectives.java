package org.segno.collective;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Collectives that a geometry has recorded for calls, found by the arguments of these. Those that the application does
 * not hold can be closed to make room: all members start the same rounds in the same order, so the one that was started
 * least recently is the same at all. Used by the one thread that holds the contexts.
 */
final class RecordedCollectives {
    private static final int CAPACITY = 16;
    private static final float LOAD_FACTOR = 0.75f;

    private final Geometry geometry;
    private final Map<Call, Collective> recorded = new HashMap<>();

    /** Those that the application does not hold, in the order of their last starts. */
    private final Map<Collective, Collective> closeable = new LinkedHashMap<>(CAPACITY, LOAD_FACTOR, true);

    RecordedCollectives(Geometry geometry) {
        this.geometry = geometry;
    }

    /** Returns the collective of a call, and records it at the first one. */
    Collective of(Call call, long deadlineNs) {
        final Collective known = recorded.get(call);
        return known == null ? recordFirst(call, deadlineNs) : known;
    }

    /** Returns the collective of a call to the application, which may hold it: it is not closed to make room. */
    Collective lent(Call call, long deadlineNs) {
        final Collective collective = of(call, deadlineNs);
        closeable.remove(collective);
        return collective;
    }

    /** Returns the collective that was run least recently among those that can be closed to make room, or null. */
    @Nullable
    Collective oldest() {
        for (final Collective collective : closeable.values()) {
            if (collective.closeable() != 0) {
                return collective;
            }
        }
        return null;
    }

    private Collective recordFirst(Call call, long deadlineNs) {
        final Collective prepared = geometry.prepare(call, deadlineNs);
        recorded.put(call, prepared);
        closeable.put(prepared, prepared);
        return prepared;
    }

    /** Carries out a call, or continues its last round. */
    void run(Call call, long deadlineNs) {
        run(of(call, deadlineNs), deadlineNs);
    }

    private void run(Collective collective, long deadlineNs) {
        final long before = collective.round();
        try {
            collective.runOrContinue(deadlineNs);
        } finally {
            if (collective.round() != before) {
                // Moves it to the end.
                closeable.get(collective);
            }
        }
    }

    /** Removes a collective that is closed, if it was recorded here. */
    void remove(Collective collective) {
        recorded.remove(collective.call(), collective);
        closeable.remove(collective);
    }

    /** Carries out a call without windows on buffers. */
    void run(
            Call call,
            DirectBuffer source,
            int sourceIndex,
            MutableDirectBuffer target,
            int targetIndex,
            long deadlineNs) {
        final Collective known = recorded.get(call);
        try {
            if (known == null) {
                geometry.shape(call);
            }
            // Before anything moves, so that a member can repeat a call that was refused here.
            requireRoom("source", source, sourceIndex, call.sourceBytes(geometry.self(), geometry.size()));
            requireRoom("target", target, targetIndex, call.targetBytes(geometry.self(), geometry.size()));
        } catch (final IllegalArgumentException e) {
            throw known == null ? geometry.agreement().failed(e, deadlineNs) : e;
        }
        final Collective collective = known == null ? recordFirst(call, deadlineNs) : known;
        collective.copyIn(source, sourceIndex, deadlineNs);
        run(collective, deadlineNs);
        collective.copyOut(target, targetIndex);
    }

    private static void requireRoom(String role, @Nullable DirectBuffer buffer, int index, long bytes) {
        if (bytes != 0 && (buffer == null || index < 0 || bytes > buffer.capacity() - (long) index)) {
            throw new IllegalArgumentException("the " + role + " of this member needs " + bytes + " bytes: "
                    + (buffer == null ? "the buffer is null" : "index=" + index + " capacity=" + buffer.capacity()));
        }
    }
}
