package org.segno.engine.trace;

import java.util.List;
import org.segno.engine.memory.NodeMemory;

/** Consumer of the traces of nodes, which {@link java.util.ServiceLoader} finds. */
public interface TraceProvider {
    /**
     * Begins to consume the rings of a node, on a thread of its own. Called before the node's engines run.
     *
     * @throws org.segno.status.SegnoException if the trace cannot be stored; the message has the reason
     */
    Trace begin(TracedNode node);

    /** Trace of one node while it runs. */
    interface Trace {
        /**
         * Consumes what is left and ends the trace. Called once, after the last pass of the engines.
         */
        void end();
    }

    /**
     * A node and its rings.
     *
     * @param jobName name of the job
     * @param memory memory of the node
     * @param rings one ring per engine
     * @param settings of the trace
     */
    record TracedNode(String jobName, NodeMemory memory, List<TraceRing> rings, TraceSettings settings) {
        /** Copies the list. */
        public TracedNode {
            rings = List.copyOf(rings);
        }
    }
}
