package org.segno.engine.landing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.Lane;
import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;

/**
 * Process memory for the lanes of linked origins that one engine writes, of one class, up to a limit. Demands that find
 * no memory are served in their order; meanwhile the pool recalls lanes from other origins. A lane that is not given up
 * for long, because its origin or its context does nothing, no longer counts: nobody waits for somebody else. Memory of
 * a lane that was given up is used again. Used only by the engine's thread.
 *
 * <p>In front of each lane lies the word of its consumer's position, in a pair of cache lines of its own.
 */
public final class LanePool {
    /** Part of all memory within which lanes may be longer than they need to be. */
    private static final int SPARE_PART = 2;

    /** Number of lanes that a search for one to recall looks at. */
    private static final int RECALL_LOOKS = 8;

    /**
     * Number of searches without a recall after which one more lane with records is recalled than demands wait, and of
     * searches of the first that waits after which a lane does not count that it waits for.
     */
    private static final int PATIENCE = 1024;

    private final LinkedLanes lanes;
    private final List<Place> free = new ArrayList<>();
    private final List<Place> retired = new ArrayList<>();
    private final ArrayDeque<Holder> holders = new ArrayDeque<>();
    private final ArrayDeque<Holder> waiting = new ArrayDeque<>();

    /** Holders of recalled lanes that have not been given up. */
    private final List<Holder> recalled = new ArrayList<>();

    private final int mostBytes;

    /** Bytes of all lanes; one is always possible. */
    private final long limit;

    /** Bytes of all lanes but the overdue ones, the free ones included. */
    private long taken;

    /** Searches of the first that waited, in all. */
    private long turns;

    /** Searches since the last recall: the recalled lanes may belong to contexts that do not empty them. */
    private int searches;

    /**
     * Creates the pool of an engine for lanes of its node and of one class.
     *
     * @param mostBytes length of the longest lane
     * @param limit bytes of all lanes; one lane is always possible
     */
    LanePool(LinkedLanes lanes, int mostBytes, long limit) {
        this.lanes = lanes;
        this.mostBytes = mostBytes;
        this.limit = limit;
    }

    /** Returns the length of the longest lane. */
    int mostBytes() {
        return mostBytes;
    }

    /** Memory of a lane, and the lane's present or last use. */
    private static final class Place {
        final Lane lane;
        LinkedLanes.@Nullable Entry entry;

        /** Searches of the first that waited, when the lane was retired. */
        long retiredAt;

        /** True once the lane was recalled or retired for long: it does not count until it is free. */
        boolean isOverdue;

        Place(Lane lane) {
            this.lane = lane;
        }

        int length() {
            return length(lane.capacity());
        }

        static int length(int capacity) {
            return NodeLayout.LINE_PAIR + capacity;
        }
    }

    /** One context and class of a linked origin, which has at most one lane. */
    final class Holder {
        private final Landing landing;
        private final int context;
        private final boolean areReplies;
        private final int origin;
        private @Nullable Place place;
        private boolean isRecalled;
        private long recalledAt;

        /**
         * Creates the holder of the lane into a context that rank {@code origin} writes.
         *
         * @param landing writer of the lane
         */
        Holder(Landing landing, int context, int origin) {
            this.landing = landing;
            this.context = context;
            this.areReplies = landing.isOfReplies();
            this.origin = origin;
        }

        /** Returns true if the lane has no record, so that its origin can give it up at once. */
        private boolean isEmpty() {
            return landing.lane(context).occupied() == 0;
        }

        /** Returns true if this holder has a lane. */
        boolean hasLane() {
            return place != null;
        }

        /**
         * Returns the length of the longest lane for which there is memory that no other origin needs.
         *
         * @param most length of the longest possible lane
         * @param least length of the shortest one, which is returned if there is memory for none
         */
        int admitted(int most, int least) {
            long used = taken;
            for (int i = 0; i < free.size(); i++) {
                used -= free.get(i).length();
            }
            int bytes = most;
            while (bytes > least && (!waiting.isEmpty() || used + Place.length(bytes) > limit / SPARE_PART)) {
                bytes /= 2;
            }
            return bytes;
        }

        /** Returns true if the lane has this length, and nobody else needs it. */
        boolean keeps(int bytes) {
            return place != null && place.lane.capacity() == bytes && !isRecalled;
        }

        /**
         * Takes an empty lane for this holder, which has none. Returns null while there is no memory for it; the holder
         * has its turn then, after those before it.
         */
        @Nullable
        Lane take(int bytes) {
            final boolean isTurn = waiting.isEmpty() || waiting.peek() == this;
            final Place found = isTurn ? find(bytes) : null;
            if (found == null) {
                turns += isTurn ? 1 : 0;
                if (!waiting.contains(this)) {
                    waiting.add(this);
                }
                recall();
                return null;
            }
            waiting.remove(this);
            place = found;
            found.entry = lanes.add(context, areReplies, found.lane, origin);
            holders.add(this);
            return found.lane;
        }

        /** Gives the lane up, which is empty, or the wait for one. */
        void leave() {
            final Place left = place;
            waiting.remove(this);
            if (left != null && left.entry != null) {
                place = null;
                holders.remove(this);
                lanes.retire(context, areReplies, left.entry);
                left.retiredAt = turns;
                retired.add(left);
            }
            if (isRecalled) {
                isRecalled = false;
                recalled.remove(this);
            }
        }

        /** Returns true if the origin is to be asked for the lane. */
        boolean isRecalled() {
            return isRecalled;
        }
    }

    /**
     * Recalls one lane. There should be a recalled, empty lane for each waiting demand, because an empty lane can be
     * given up at once. If there is no further empty lane, the oldest lane is recalled. Handlers may not accept its
     * records for a long time, so such a lane alone would not be enough.
     */
    private void recall() {
        searches++;
        int empty = 0;
        for (int i = 0; i < recalled.size(); i++) {
            empty += recalled.get(i).isEmpty() ? 1 : 0;
        }
        if (empty < waiting.size() && recallOldest(true)) {
            return;
        }
        if (recalled.size() < waiting.size() || searches > PATIENCE) {
            recallOldest(false);
        }
        writeOff();
    }

    /** Leaves a lane out of account that is not given up, or that its context does not leave, for long. */
    private void writeOff() {
        for (int i = 0; i < recalled.size(); i++) {
            final Place place = recalled.get(i).place;
            if (place != null && !place.isOverdue && turns - recalled.get(i).recalledAt > PATIENCE) {
                writeOff(place);
                return;
            }
        }
        for (int i = 0; i < retired.size(); i++) {
            final Place place = retired.get(i);
            if (!place.isOverdue && turns - place.retiredAt > PATIENCE) {
                writeOff(place);
                return;
            }
        }
    }

    private void writeOff(Place place) {
        place.isOverdue = true;
        taken -= place.length();
    }

    private boolean recallOldest(boolean onlyEmpty) {
        for (int looks = Math.min(RECALL_LOOKS, holders.size()); looks > 0; looks--) {
            final Holder oldest = holders.remove();
            holders.add(oldest);
            if (!oldest.isRecalled && (!onlyEmpty || oldest.isEmpty())) {
                oldest.isRecalled = true;
                oldest.recalledAt = turns;
                recalled.add(oldest);
                searches = 0;
                return true;
            }
        }
        return false;
    }

    private @Nullable Place find(int bytes) {
        reclaim();
        for (int i = free.size() - 1; i >= 0; i--) {
            if (free.get(i).lane.capacity() == bytes) {
                return free.remove(i);
            }
        }
        final int length = Place.length(bytes);
        while (taken + length > limit && !free.isEmpty()) {
            taken -= free.remove(0).length();
        }
        if (taken > 0 && taken + length > limit) {
            return null;
        }
        taken += length;
        final Memory memory = lanes.allocate(length);
        // The position has the middle of its lines, because the memory may begin within one.
        return new Place(new Lane(memory, NodeLayout.LINE_PAIR, memory, BitUtil.CACHE_LINE_LENGTH, bytes));
    }

    /** Makes retired lanes free that no context reads any more. */
    private void reclaim() {
        for (int i = retired.size() - 1; i >= 0; i--) {
            final Place place = retired.get(i);
            if (place.entry != null && place.entry.isLeft()) {
                retired.remove(i);
                place.entry = null;
                // In place of an overdue lane there may be another one by now: then it is given to the system.
                if (!place.isOverdue || taken + place.length() <= limit) {
                    taken += place.isOverdue ? place.length() : 0;
                    place.isOverdue = false;
                    erase(place.lane);
                    free.add(place);
                }
            }
        }
    }

    private static void erase(Lane lane) {
        lane.heads().putLong(lane.headOffset(), 0);
        for (int at = 0; at < lane.capacity(); at += Long.BYTES) {
            lane.records().putLong(lane.offset() + at, 0);
        }
    }
}
