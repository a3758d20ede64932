package org.segno.engine.landing;

import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.memory.NodeDimensions;

/**
 * Memory for the lanes of linked origins that one engine writes, separate for requests and for replies of handlers. A
 * handler of a request may wait until it can send its reply. If requests could take all memory at two ranks, the
 * handlers of both would wait for lanes for their replies, and neither would ever free its memory.
 *
 * @param requests for the sends of applications
 * @param replies for what handlers send, up to a quarter as much. Handlers always accept that
 */
public record LanePools(LanePool requests, LanePool replies) {
    /** Part of the bytes for requests that replies may take. */
    private static final int REPLY_PART = 4;

    /**
     * Creates the pools of an engine for lanes of its node.
     *
     * @param laneBytes length of the longest lane for the sends of applications
     */
    public static LanePools of(LinkedLanes lanes, int laneBytes) {
        return new LanePools(
                new LanePool(lanes, laneBytes, lanes.engineBytes()),
                new LanePool(lanes, NodeDimensions.REPLY_LANE_BYTES, lanes.engineBytes() / REPLY_PART));
    }
}
