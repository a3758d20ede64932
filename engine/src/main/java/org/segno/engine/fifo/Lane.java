package org.segno.engine.fifo;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;

/**
 * Place of a reception lane: its records, and the word in which its consumer returns their space.
 *
 * @param records memory of the records
 * @param offset offset of the lane in that memory
 * @param heads memory of the consumer's position
 * @param headOffset offset of that position
 * @param capacity length of the lane in bytes, a power of two; zero for no lane
 */
public record Lane(Memory records, long offset, Memory heads, long headOffset, int capacity) {
    /** Returns the lane {@code lane} of {@code node} into {@code context}. */
    static Lane of(NodeMemory node, int context, int lane) {
        return new Lane(
                node.peers(),
                node.laneOffset(context, lane),
                node.owner(),
                node.laneHeadOffset(context, lane),
                node.layout().dimensions().laneBytes());
    }

    /** Returns the lane {@code lane} of {@code node} into {@code context} for the sends of handlers. */
    static Lane ofReplies(NodeMemory node, int context, int lane) {
        return new Lane(
                node.peers(),
                node.replyLaneOffset(context, lane),
                node.owner(),
                node.replyLaneHeadOffset(context, lane),
                NodeDimensions.REPLY_LANE_BYTES);
    }
}
