package org.segno.bench.harness;

import java.util.Locale;

/** Whether the two cores shared a cache during a slice. */
public enum Distance {
    /** Both probes under 100 ns. */
    NEAR,
    /** Both probes from 100 to 400 ns. */
    FAR,
    /** Anything else: the cores moved, or something disturbed a probe. */
    MIXED;

    /** Returns the name as shown. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
