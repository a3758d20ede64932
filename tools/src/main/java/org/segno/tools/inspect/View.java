package org.segno.tools.inspect;

import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Report;

/** One topic: what it shows of each node, and what it finds broken there. */
interface View {
    /** Looks at a node. */
    void look(ObservedRank rank);

    /** Adds what was seen. */
    void addTo(Report report);
}
