package org.segno.bench.death;

import java.util.List;
import org.segno.node.NodeConfig.Threading;

/**
 * One kill.
 *
 * @param mode threading of the victim's node; the survivors were started in the same way
 * @param victim the rank that was killed; rank 0 is the job's hub
 * @param waitsNs for each other rank, the time from immediately before the kill until its wait threw
 */
record Death(Threading mode, int victim, List<Long> waitsNs) {
    /** Copies the list. */
    Death {
        waitsNs = List.copyOf(waitsNs);
    }
}
