package org.segno.node;

import java.util.function.IntFunction;
import org.segno.engine.dma.DmaEngine;
import org.segno.engine.doorbell.Doorbells;
import org.segno.engine.job.Attachment;
import org.segno.engine.job.JobSettings;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerTable;

/** Functions of this package's types for the engine's own packages and the tools; not for applications. */
public final class NodeAccess {
    private NodeAccess() {}

    /** Returns what the job's directory and its membership need. */
    public static JobSettings settings(JobConfig config) {
        return config.settings();
    }

    /** Returns the defaults of Segno, whatever properties and variables of this process set. */
    public static NodeConfig builtInConfig() {
        return NodeConfig.builtIn();
    }

    /** Returns the layout of a node with this configuration, which {@code mapped} ranks of a job map. */
    public static NodeLayout layout(NodeConfig config, int size, int mapped) {
        return NodeLayout.of(config.dimensions(size, mapped, size));
    }

    /**
     * Assembles and starts a node without a job's directory and hub, for simulations.
     *
     * @param memory the node's own memory
     * @param peers the ranks of the job, the node included
     * @param links links of the engine of a number
     * @param attachment notified of the node's end
     */
    public static Node assemble(
            JobConfig job,
            NodeConfig config,
            NodeMemory memory,
            PeerTable peers,
            IntFunction<DmaEngine.LinkSource> links,
            Attachment attachment) {
        final Node.Ranks ranks = Node.Ranks.of(memory, peers, links, config.laneBudgetBytes());
        final Node node = new Node(job, config, attachment, ranks, Doorbells.none());
        node.start();
        return node;
    }
}
