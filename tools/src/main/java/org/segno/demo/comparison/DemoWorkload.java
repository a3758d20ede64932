package org.segno.demo.comparison;

import java.util.List;
import org.segno.node.Node;
import org.segno.node.NodeConfig;

/** Share of one rank in a demo, sized by its options. */
public interface DemoWorkload {
    /** Returns the problem's title for people. */
    String title();

    /** Returns the settings of the node, without the needs of the measurement. */
    NodeConfig nodeConfig();

    /** Returns the bytes of windows that it needs. */
    long windowBytes();

    /** Opens the repeated exchanges, together with the other ranks. */
    List<MeasuredExchange> open(Node node);
}
