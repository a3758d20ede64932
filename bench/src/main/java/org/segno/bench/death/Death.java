package org.segno.bench.death;

import java.util.List;

/**
 * One kill.
 *
 * @param victim the rank that was killed; rank 0 is the job's hub
 * @param waitsNs for each other rank, the time from immediately before the kill until its wait threw
 */
record Death(int victim, List<Long> waitsNs) {
    /** Copies the list. */
    Death {
        waitsNs = List.copyOf(waitsNs);
    }
}
