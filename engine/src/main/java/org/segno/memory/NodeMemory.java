package org.segno.memory;

import org.segno.memory.NodeLayout.Half;

/**
 * A node's file as one process sees it: three mappings and the layout that says what lies where.
 *
 * <p>In the owner's process all three are writable; in a peer's the owner's half is mapped read-only, so that no peer can
 * corrupt what the owner trusts.
 *
 * @param rank the node's rank
 * @param layout where everything lies
 * @param owner what the owner alone writes
 * @param peers what peers write: counter values and reception lanes
 * @param arena the windows
 */
public record NodeMemory(int rank, NodeLayout layout, Memory owner, Memory peers, Memory arena) {
    public NodeMemory {
        requireLength("owner's half", owner, layout.length(Half.OWNER));
        requireLength("peers' half", peers, layout.length(Half.PEERS));
        requireLength("arena", arena, layout.length(Half.ARENA));
    }

    /** What to throw where another node's window or counter is given to this one, whose ids mean something else. */
    public IllegalArgumentException foreign(Object given, int maker) {
        return new IllegalArgumentException(given + " was made by another node, rank " + maker + ": this is rank "
                + rank + ", which takes only what its own client made");
    }

    private static void requireLength(String name, Memory memory, long length) {
        if (memory.length() < length) {
            throw new IllegalArgumentException(
                    "the mapping of the " + name + " has " + memory.length() + " bytes, its layout needs " + length);
        }
    }

    /**
     * Touches every page, so that no first touch falls into somebody's latency. Reading is enough: a shared mapping of memory that
     * is already there is mapped for writing too.
     *
     * @return a sum that nobody needs, so that the reads are not optimised away
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

    /** Offset in the peers' half of the value word of a counter, injection counters first. */
    public long injectionValueOffset(int counter) {
        return layout.offset(NodeLayout.Part.COUNTER_VALUES) + (long) counter * NodeLayout.COUNTER_VALUE_LENGTH;
    }

    /** Offset in the peers' half of the value word of a reception counter. */
    public long receptionValueOffset(int counter) {
        return injectionValueOffset(layout.dimensions().injectionCounters() + counter);
    }

    /** How many engines the node has. */
    public int engines() {
        return layout.dimensions().engines();
    }

    /** Offset in the owner's half of an engine's count of quiet points. */
    public long quietCountOffset(int engine) {
        return layout.offset(NodeLayout.Part.QUIET_COUNTS) + (long) engine * NodeLayout.LINE_PAIR;
    }

    /** Offset in the owner's half of the settings of a reception counter. */
    public long counterSettingsOffset(int counter) {
        return layout.offset(NodeLayout.Part.COUNTER_SETTINGS) + (long) counter * NodeLayout.COUNTER_SETTINGS_LENGTH;
    }

    /**
     * Offset in the peers' half of a lane into {@code context}, which only one engine writes.
     *
     * @param lane below {@link NodeDimensions#lanes}
     */
    public long laneOffset(int context, int lane) {
        return layout.offset(NodeLayout.Part.LANES)
                + laneNumber(context, lane) * layout.dimensions().laneBytes();
    }

    /** Offset in the owner's half of the head of that lane. */
    public long laneHeadOffset(int context, int lane) {
        return layout.offset(NodeLayout.Part.LANE_HEADS) + laneNumber(context, lane) * NodeLayout.LINE_PAIR;
    }

    /** As {@link #laneOffset}, of the lane for what handlers send. */
    public long replyLaneOffset(int context, int lane) {
        return layout.offset(NodeLayout.Part.REPLY_LANES) + laneNumber(context, lane) * NodeDimensions.REPLY_LANE_BYTES;
    }

    /** Offset in the owner's half of the head of that lane. */
    public long replyLaneHeadOffset(int context, int lane) {
        final long ordinary = layout.length(NodeLayout.Part.LANE_HEADS) / 2;
        return laneHeadOffset(context, lane) + ordinary;
    }

    private long laneNumber(int context, int lane) {
        return (long) context * layout.dimensions().lanes() + lane;
    }
}
