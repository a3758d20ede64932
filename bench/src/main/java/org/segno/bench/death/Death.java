package org.segno.bench.death;

import java.util.List;

/**
 * One kill.
 *
 * @param victim the rank that was killed; rank 0 is the job's hub
 * @param waitsNs of each other rank, the time from right before the kill until its wait had thrown
 */
record Death(int victim, List<Long> waitsNs) {
    /** Copies the list. */
    Death {
        waitsNs = List.copyOf(waitsNs);
    }
}
