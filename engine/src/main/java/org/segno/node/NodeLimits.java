package org.segno.node;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.memory.NodeDimensions;
import org.segno.operation.MessageLimits;

/**
 * Limits of a node: resources that it has, of its own client and of those opened by name together, and lengths of
 * messages. They do not change after the join. Peers of another configuration have others: the length of a message to a
 * certain context is limited by {@code Context.longestFor}.
 *
 * @param contexts contexts that can be created
 * @param fifos injection FIFOs of each context, its own and the one for sends of handlers included
 * @param fifoSlots descriptors per injection FIFO
 * @param patterns patterns of each context at a time
 * @param injectionCounters injection counters open at a time
 * @param receptionCounters reception counters open at a time; the barrier of each context uses one
 * @param windows windows open at a time
 * @param windowBytes bytes of registered memory
 * @param laneBytes length in bytes of each reception lane
 * @param metadataBytes maximum length of the metadata of a message that are read from memory; by value 24
 * @param immediateBytes maximum length of metadata and payload together of an immediate message
 * @param recordBytes maximum length of metadata and payload together of a message in one record of this node's lanes;
 *     a {@code Messenger} sends any length
 * @param messages lengths up to which a {@code Messenger} of this node sends immediately and eagerly, and the number of
 *     messages that it may have deferred
 */
public record NodeLimits(
        int contexts,
        int fifos,
        int fifoSlots,
        int patterns,
        int injectionCounters,
        int receptionCounters,
        int windows,
        long windowBytes,
        int laneBytes,
        int metadataBytes,
        int immediateBytes,
        int recordBytes,
        MessageLimits messages) {

    static NodeLimits of(NodeDimensions dimensions, MessageLimits messages) {
        return new NodeLimits(
                dimensions.contexts(),
                dimensions.fifos(),
                dimensions.fifoSlots(),
                dimensions.patterns(),
                dimensions.injectionCounters(),
                dimensions.receptionCounters(),
                dimensions.windows(),
                dimensions.windowBytes(),
                dimensions.laneBytes(),
                Descriptor.MAX_METADATA_LENGTH,
                Descriptor.MAX_IMMEDIATE_LENGTH,
                LaneRecord.maxBodyLength(dimensions.laneBytes()),
                messages);
    }
}
