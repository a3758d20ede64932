package org.segno.tools.journal.command;

/** Counts of one row of a statistic, with its first and last time and the longest gap between. Used by one thread. */
final class TrafficCount {
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_US = 1e3;
    private static final double BYTES_PER_MB = 1e6;
    private static final long NEVER = Long.MIN_VALUE;

    private long descriptors;
    private long rounds;
    private long refused;
    private long bytes;
    private long lost;
    private long firstNs = NEVER;
    private long lastNs = NEVER;
    private long longestGapNs;

    /** Adds descriptors that were carried out. */
    void add(long count, long itsBytes) {
        descriptors += count;
        bytes += itsBytes;
    }

    /** Adds a round. */
    void addRound() {
        rounds++;
    }

    /** Adds refused descriptors or operations. */
    void addRefused(long count) {
        refused += count;
    }

    /** Adds descriptors that are missing in the journal. */
    void addLost(long count) {
        lost += count;
    }

    /** Records that something happened at a time. */
    void at(long timeNs) {
        if (firstNs == NEVER) {
            firstNs = timeNs;
        } else {
            longestGapNs = Math.max(longestGapNs, timeNs - lastNs);
        }
        lastNs = timeNs;
    }

    long descriptors() {
        return descriptors;
    }

    long bytes() {
        return bytes;
    }

    /** Returns the cells of a row, after the names in its first column. */
    Object[] cells(Object name) {
        final double seconds = firstNs == NEVER ? 0 : (lastNs - firstNs) / NS_PER_S;
        return new Object[] {
            name,
            descriptors,
            rounds,
            bytes,
            refused,
            lost,
            seconds,
            seconds == 0 ? Double.NaN : descriptors / seconds,
            seconds == 0 ? Double.NaN : bytes / seconds / BYTES_PER_MB,
            longestGapNs / NS_PER_US
        };
    }
}
