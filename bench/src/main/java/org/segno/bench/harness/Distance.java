package org.segno.bench.harness;

import java.util.Locale;

/** Distance of the two cores during a slice: whether they shared a cache. */
public enum Distance {
    /** Both probes under 100 ns. */
    NEAR,
    /** Both probes from 100 to 400 ns. */
    FAR,
    /** All other cases: the cores changed, or a probe was disturbed. */
    MIXED;

    private static final double NEAR_LIMIT_NS = 100;
    private static final double FAR_LIMIT_NS = 400;

    /** Returns the distance that a probe shows, in ns one way. */
    public static Distance of(double probeNs) {
        if (probeNs < NEAR_LIMIT_NS) {
            return NEAR;
        }
        return probeNs <= FAR_LIMIT_NS ? FAR : MIXED;
    }

    /** Returns the name as printed. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
