package org.segno.bench.death;

import java.util.List;
import org.segno.node.NodeConfig.Threading;

/**
 * One death.
 *
 * @param mode threading of the victim's node; the survivors were started in the same way
 * @param victim the rank that was killed; of a host that was stopped, its first rank
 * @param isHub true if the victim's process was a hub
 * @param waits for each other rank that waited for it, when its wait threw
 */
record Death(Threading mode, int victim, boolean isHub, List<Wait> waits) {
    /** Copies the list. */
    Death {
        waits = List.copyOf(waits);
    }

    /**
     * The wait of a survivor.
     *
     * @param isOnVictimsHost true if it was on the host of the victim
     * @param ns time from immediately before the death until the wait threw
     */
    record Wait(boolean isOnVictimsHost, long ns) {}
}
