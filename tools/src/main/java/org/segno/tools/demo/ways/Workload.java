package org.segno.tools.demo.ways;

import java.util.List;
import org.segno.node.Node;
import org.segno.node.NodeConfig;

/** One rank's share of a demo, as large as its options say. */
public interface Workload {
    /** The problem, as people read it. */
    String title();

    /** What the node must have, without what measuring takes. */
    NodeConfig nodeConfig();

    /** Bytes of windows that it takes. */
    long windowBytes();

    /** Opens what is repeated, together with the other ranks. */
    List<Part> open(Node node);
}
