package org.segno.tools.inspect;

import org.segno.tools.observe.ObservedRank;
import org.segno.tools.output.Report;

/** View of one topic. It lists the entries of each node and checks them. */
interface View {
    /** Reads and checks a node. */
    void look(ObservedRank rank);

    /** Adds the tables of all nodes read. */
    void addTo(Report report);
}
