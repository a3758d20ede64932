package org.segno.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.memory.CounterPair;
import org.segno.memory.Operand;
import org.segno.memory.Window;

/**
 * Windows and counters of a collective at one member. The collective's own window has, each from a multiple of 128
 * bytes on: the contribution and the result, if the call names no windows; the scratch memory; and for each inlet in
 * slots, unless they lie in the lines of its counters, the even and the odd set.
 */
final class CollectiveMemory {
    private final GeometryResources resources;
    private final Call call;
    private final List<@Nullable CounterPair> pairs = new ArrayList<>();
    private final Window window;
    private final long targetOffset;
    private final long scratchOffset;

    /**
     * Opens the window and the counters of a schedule.
     *
     * @param ranks of the members, which alone may write
     * @throws IllegalArgumentException if the windows of the client have no room; the message names the setting to
     *     raise
     * @throws IllegalStateException if too few counters are left
     */
    CollectiveMemory(GeometryResources resources, Call call, Schedule schedule, int[] ranks) {
        this.resources = resources;
        this.call = call;
        final Plan plan = Plan.of(call, schedule, true);
        this.targetOffset = plan.targetOffset;
        this.scratchOffset = plan.scratchOffset;
        boolean isOpen = false;
        this.window = resources.window(plan.bytes);
        try {
            openPairs(schedule.inlets(), plan.slotsOffset, ranks);
            isOpen = true;
        } finally {
            if (!isOpen) {
                close();
            }
        }
    }

    /** Offsets in the collective's own window, and its length. The contribution comes first. */
    private record Plan(long targetOffset, long scratchOffset, long slotsOffset, long bytes) {
        static Plan of(Call call, Schedule schedule, boolean withData) {
            final Shape shape = schedule.shape();
            final boolean isOwn = withData && call.source() == null && call.target() == null;
            final long sourceBytes = isOwn ? call.sourceBytes(shape.self(), shape.members()) : 0;
            final long targetBytes = isOwn ? call.targetBytes(shape.self(), shape.members()) : 0;
            final long sourceEnd = Schedule.align(sourceBytes);
            // A broadcast has one place: the contribution of the root, the result of the others.
            final long targetOffset = call.kind() == CollectiveKind.BROADCAST ? 0 : sourceEnd;
            final long scratchOffset = Math.max(sourceEnd, targetOffset + Schedule.align(targetBytes));
            final long slotsOffset = scratchOffset + schedule.scratchBytes();
            long bytes = slotsOffset;
            for (final Inlet inlet : schedule.inlets()) {
                bytes += hasSlots(inlet) ? 2 * Schedule.align(inlet.length()) : 0;
            }
            // A pair needs a window even if it has no bytes.
            return new Plan(targetOffset, scratchOffset, slotsOffset, Math.max(bytes, Schedule.align(1)));
        }
    }

    /**
     * Returns the bytes of the window that a schedule needs.
     *
     * @param withData true if contribution and result lie in it, unless the call names windows
     */
    static long bytes(boolean withData, Call call, Schedule schedule) {
        return Plan.of(call, schedule, withData).bytes;
    }

    private static boolean hasSlots(Inlet inlet) {
        return inlet.expected() != 0 && inlet.kind() == Inlet.Memory.SLOTS && !inlet.isInLine();
    }

    private void openPairs(List<Inlet> inlets, long slotsOffset, int[] ranks) {
        long offset = slotsOffset;
        for (final Inlet inlet : inlets) {
            if (!inlet.isOpen()) {
                pairs.add(null);
            } else if (inlet.kind() == Inlet.Memory.SOURCE) {
                pairs.add(resources.readable(source(), source(0), inlet.length(), ranks));
            } else if (inlet.kind() == Inlet.Memory.TARGET) {
                final Window target = target();
                pairs.add(resources.pair(target, new CounterPair.Sets(target(0), target(0), inlet.length()), ranks));
            } else if (inlet.isInLine()) {
                pairs.add(resources.pairInLines((int) inlet.length(), ranks));
            } else {
                final long set = Schedule.align(inlet.length());
                pairs.add(resources.pair(own(), new CounterPair.Sets(offset, offset + set, inlet.length()), ranks));
                offset += 2 * set;
            }
        }
    }

    private Window own() {
        return window;
    }

    /** Returns the pair of an inlet. */
    CounterPair pair(int inlet) {
        return Objects.requireNonNull(pairs.get(inlet));
    }

    /** Returns the pairs of the inlets; null for those that this member does not have. */
    List<@Nullable CounterPair> pairs() {
        return pairs;
    }

    Reduction reduction() {
        return Objects.requireNonNull(call.reduction());
    }

    /** Returns the window of the contribution. */
    Window source() {
        return call.source() == null ? own() : call.source();
    }

    /** Returns the offset in {@link #source} of a byte of the contribution. */
    long source(long offset) {
        return (call.source() == null ? 0 : call.sourceOffset()) + offset;
    }

    /** Returns the window of the result. */
    Window target() {
        return call.target() == null ? own() : call.target();
    }

    /** Returns the offset in {@link #target} of a byte of the result. */
    long target(long offset) {
        return (call.target() == null ? targetOffset : call.targetOffset()) + offset;
    }

    Operand operand(Place place) {
        return switch (place.region()) {
            case SOURCE -> source();
            case TARGET -> target();
            case SCRATCH -> own();
            case INLET -> pair(place.inlet());
        };
    }

    long offset(Place place) {
        return switch (place.region()) {
            case SOURCE -> source(place.offset());
            case TARGET -> target(place.offset());
            case SCRATCH -> scratchOffset + place.offset();
            case INLET -> place.offset();
        };
    }

    /** Closes everything. The ids and the memory are used again when nobody can write there any more. */
    void close() {
        for (final CounterPair pair : pairs) {
            if (pair != null) {
                resources.close(pair);
            }
        }
        resources.close(own());
    }
}
