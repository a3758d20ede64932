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

    /** Returns the name as printed. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
