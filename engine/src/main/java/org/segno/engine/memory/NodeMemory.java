package org.segno.engine.memory;

import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeLayout.Half;

/**
 * A node's file in the address space of one process: three mappings and the layout of their contents.
 *
 * <p>In the owner's process all three are writable. In a peer's process the owner's half is mapped read-only, so that
 * no peer can corrupt the words that the owner trusts.
 *
 * @param rank the node's rank
 * @param layout positions of all parts
 * @param owner half that only the owner writes
 * @param peers half that peers write: counts of owed events and reception lanes
 * @param arena the windows and the counter values
 */
public record NodeMemory(int rank, NodeLayout layout, Memory owner, Memory peers, Memory arena) {
    public NodeMemory {
        requireLength("owner's half", owner, layout.length(Half.OWNER));
        requireLength("peers' half", peers, layout.length(Half.PEERS));
        requireLength("arena", arena, layout.length(Half.ARENA));
    }

    /** Returns true for the same object: there is one for each node of this process. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    /** Writes what the zeroed memory of a new node holds: the ranks that map it, and the header. */
    static void format(Memory owner, NodeLayout layout, NodeHeader.Identity identity, int[] origins) {
        final long ranks = layout.offset(NodeLayout.Part.LANE_ORIGINS);
        for (int place = 0; place < origins.length; place++) {
            owner.putInt(ranks + (long) place * Integer.BYTES, origins[place]);
        }
        new NodeHeader(owner).write(layout, identity);
    }

    /**
     * Returns the memory of a new node that has no file.
     *
     * @param origins the ranks that use this memory as mapped, ascending, with the node's own
     * @param zeroed provides zeroed memory of a length
     */
    public static NodeMemory withoutFile(
            NodeLayout layout, NodeHeader.Identity identity, int[] origins, LongFunction<Memory> zeroed) {
        final Memory owner = zeroed.apply(layout.length(Half.OWNER));
        format(owner, layout, identity, origins);
        return new NodeMemory(
                identity.rank(),
                layout,
                owner,
                zeroed.apply(layout.length(Half.PEERS)),
                zeroed.apply(layout.length(Half.ARENA)));
    }

    /**
     * Returns the exception for the use of another node's window or counter with this node, in which its id refers to
     * something else.
     */
    public IllegalArgumentException foreign(Object given, int maker) {
        return new IllegalArgumentException(given + " was made by another node, rank " + maker + "; rank " + rank
                + " accepts only windows and counters of its own clients");
    }

    private static void requireLength(String name, Memory memory, long length) {
        if (memory.length() < length) {
            throw new IllegalArgumentException(
                    "the mapping of the " + name + " has " + memory.length() + " bytes, its layout needs " + length);
        }
    }

    /**
     * Touches every page, so that no first access adds its page fault to a message's latency. Reading is sufficient: a
     * shared mapping of memory that is already resident becomes writable too.
     *
     * @return a sum without meaning, so that the reads are not optimised away
     */
    public long touch() {
        long sum = 0;
        for (final Memory mapping : new Memory[] {owner, peers, arena}) {
            for (long offset = 0; offset < mapping.length(); offset += NodeLayout.PAGE) {
                sum += mapping.getByte(offset);
            }
        }
        return sum;
    }

    /** Returns the memory of the counter values: the arena, because a counter may cover bytes in its value's line. */
    public Memory values() {
        return arena;
    }

    /** Returns the offset in {@link #values} of the value word of a counter; injection counters come first. */
    public long injectionValueOffset(int counter) {
        return layout.offset(NodeLayout.Part.COUNTER_VALUES) + (long) counter * NodeLayout.COUNTER_VALUE_LENGTH;
    }

    /** Returns the offset in {@link #values} of the value word of a reception counter. */
    public long receptionValueOffset(int counter) {
        return injectionValueOffset(layout.dimensions().injectionCounters() + counter);
    }

    /** Returns the offset in the peers' half of the count of owed events of a context. */
    public long owedEventsOffset(int context) {
        return layout.offset(NodeLayout.Part.OWED_EVENTS) + (long) context * NodeLayout.LINE_PAIR;
    }

    /** Returns the number of engines of the node. */
    public int engines() {
        return layout.dimensions().engines();
    }

    /** Returns the offset in the owner's half of an engine's count of quiet points. */
    public long quietCountOffset(int engine) {
        return layout.offset(NodeLayout.Part.QUIET_COUNTS) + (long) engine * NodeLayout.LINE_PAIR;
    }

    /** Returns the offset in the owner's half of the state of a context. */
    public long contextStateOffset(int context) {
        return layout.offset(NodeLayout.Part.CONTEXT_STATES) + (long) context * NodeLayout.CONTEXT_STATE_LENGTH;
    }

    /** Returns the offset in the owner's half of the doorbell of a context. */
    public long doorbellOffset(int context) {
        return layout.offset(NodeLayout.Part.DOORBELLS) + (long) context * NodeLayout.LINE_PAIR;
    }

    /** Returns the number of counts of quiet points: those of the engines, then those of the contexts' loans. */
    public int quietCounts() {
        return layout.dimensions().engines() + layout.dimensions().contexts();
    }

    /** Returns the offset in the owner's half of the count of quiet points of a context's loans. */
    public long loanCountOffset(int context) {
        return quietCountOffset(layout.dimensions().engines() + context);
    }

    /** Returns the offset in the owner's half of the settings of a reception counter. */
    public long counterSettingsOffset(int counter) {
        return layout.offset(NodeLayout.Part.COUNTER_SETTINGS) + (long) counter * NodeLayout.COUNTER_SETTINGS_LENGTH;
    }

    /** Returns the offset in the owner's half of a set of ranks, which is below {@link NodeDimensions#rankSets}. */
    public long rankSetOffset(int set) {
        return layout.offset(NodeLayout.Part.RANK_SETS)
                + (long) set * layout.dimensions().rankSetWords() * Long.BYTES;
    }

    /**
     * Returns the offset in the peers' half of a lane into {@code context}, which only one engine writes.
     *
     * @param lane below {@link NodeDimensions#lanes}
     */
    public long laneOffset(int context, int lane) {
        return layout.offset(NodeLayout.Part.LANES)
                + laneNumber(context, lane) * layout.dimensions().laneBytes();
    }

    /** Returns the offset in the owner's half of the head of that lane. */
    public long laneHeadOffset(int context, int lane) {
        return layout.offset(NodeLayout.Part.LANE_HEADS) + laneNumber(context, lane) * NodeLayout.LINE_PAIR;
    }

    /** Returns the offset of the lane for the sends of handlers, as {@link #laneOffset} does for an ordinary lane. */
    public long replyLaneOffset(int context, int lane) {
        return layout.offset(NodeLayout.Part.REPLY_LANES) + laneNumber(context, lane) * NodeDimensions.REPLY_LANE_BYTES;
    }

    /** Returns the offset in the owner's half of the head of that lane. */
    public long replyLaneHeadOffset(int context, int lane) {
        final long ordinary = layout.length(NodeLayout.Part.LANE_HEADS) / 2;
        return laneHeadOffset(context, lane) + ordinary;
    }

    /**
     * Returns the number of the lane that engine {@code engine} of {@code origin} writes, or -1 if that rank does not
     * map this node's file.
     */
    public int lane(int origin, int engine) {
        final NodeDimensions d = layout.dimensions();
        if (d.mapped() == d.size()) {
            return origin * d.engines() + engine;
        }
        int low = 0;
        int high = d.mapped() - 1;
        while (low < high) {
            final int middle = (low + high) >>> 1;
            if (laneOrigin(middle) < origin) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return laneOrigin(low) == origin ? low * d.engines() + engine : -1;
    }

    /** Returns the rank that writes a lane. */
    public int originOf(int lane) {
        final NodeDimensions d = layout.dimensions();
        final int place = lane / d.engines();
        return d.mapped() == d.size() ? place : laneOrigin(place);
    }

    /** Returns the engine of its rank that writes a lane. */
    public int engineOf(int lane) {
        return lane % engines();
    }

    private int laneOrigin(int place) {
        return owner.getInt(layout.offset(NodeLayout.Part.LANE_ORIGINS) + (long) place * Integer.BYTES);
    }

    private long laneNumber(int context, int lane) {
        return (long) context * layout.dimensions().lanes() + lane;
    }
}
