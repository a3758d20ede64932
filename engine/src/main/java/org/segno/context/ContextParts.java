package org.segno.context;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.reuse.CounterGroup;
import org.segno.engine.reuse.Pins;
import org.segno.pattern.PatternBuffer;

/**
 * Parts of a context with positions that engines know as well. They remain for its next use when its client is closed.
 *
 * @param own its own FIFO
 * @param replies the FIFO for sends of its handlers; null until it is opened
 * @param spare further FIFOs that are inactive, from number 1 on
 * @param patterns its pattern buffer, with the recording FIFO and the persistent FIFO
 * @param lanes its lanes
 */
record ContextParts(
        InjectionFifoProducer own,
        @Nullable InjectionFifoProducer replies,
        List<InjectionFifoProducer> spare,
        PatternBuffer patterns,
        Reception.Lanes lanes) {

    /** Opens the parts of context {@code index} of a node for its first use. */
    static ContextParts open(NodeShare share, int index, CounterGroup counters, Pins pins) {
        final NodeMemory node = share.node();
        return new ContextParts(
                InjectionFifoProducer.open(node, index, 0),
                null,
                List.of(),
                new PatternBuffer(node, index, counters, pins),
                Reception.Lanes.of(node, index, share.lanes()));
    }
}
