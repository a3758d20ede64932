package org.segno.bench.harness;

import java.util.Arrays;
import org.segno.bench.experiment.CacheLine;
import org.segno.bench.experiment.Role;

/** Measurement of the current time that a cache line takes from one worker to the other. */
final class Probe {
    private static final int BATCHES = 15;
    private static final int ROUND_TRIPS = 128;

    private final Role role;
    private final CacheLine line;
    private final long[] batchesNs = new long[BATCHES];

    Probe(Role role, CacheLine line) {
        this.role = role;
        this.line = line;
    }

    /**
     * Measures the probe, on both sides. This takes about a quarter of a millisecond when near, one when far.
     *
     * @return at the origin ns one way, the median of {@value #BATCHES} batches; zero at the echo
     */
    double takeNs() {
        if (role == Role.ECHO) {
            line.reply(BATCHES * ROUND_TRIPS);
            return 0;
        }
        for (int i = 0; i < BATCHES; i++) {
            final long beginNs = System.nanoTime();
            line.request(ROUND_TRIPS);
            batchesNs[i] = System.nanoTime() - beginNs;
        }
        Arrays.sort(batchesNs);
        return batchesNs[BATCHES / 2] / (2.0 * ROUND_TRIPS);
    }
}
