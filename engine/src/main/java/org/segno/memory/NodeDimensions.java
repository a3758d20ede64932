package org.segno.memory;

import org.agrona.BitUtil;

/**
 * How many of everything a node has: the numbers from which {@link NodeLayout} follows.
 *
 * @param size ranks of the job
 * @param contexts threading points of this node
 * @param engines DMA engines of each rank of the job, this node among them
 * @param fifos ordinary injection FIFOs per context, the last of several that of its handlers; each context has a recording and a persistent FIFO besides
 * @param fifoSlots descriptors per ordinary injection FIFO, a power of two
 * @param patternSlots descriptors in the pattern buffer of each context
 * @param patterns pattern ids of each context
 * @param runSlots runs per run ring, a power of two
 * @param injectionCounters injection counters
 * @param receptionCounters reception counters
 * @param windows entries of the window table
 * @param names entries of the directory
 * @param laneBytes bytes of each reception lane, a power of two
 * @param windowBytes bytes of the window arena
 */
public record NodeDimensions(
        int size,
        int contexts,
        int engines,
        int fifos,
        int fifoSlots,
        int patternSlots,
        int patterns,
        int runSlots,
        int injectionCounters,
        int receptionCounters,
        int windows,
        int names,
        int laneBytes,
        long windowBytes) {
    /** The smallest lane: four records of a kilobyte. */
    public static final int MIN_LANE_BYTES = 4096;

    /** The largest lane that a node is given: a longer one would leave the cache and is slower. */
    public static final int MAX_LANE_BYTES = 64 * 1024;

    /** Bytes of each lane for what handlers send: four records of 256. */
    public static final int REPLY_LANE_BYTES = 1024;

    /** Injection FIFOs that one context can have, its recording and its persistent FIFO among them. */
    public static final int MAX_FIFOS = 128;

    /** Ordinary injection FIFOs of a context unless said otherwise: sixteen with the recording and the persistent one. */
    public static final int DEFAULT_FIFOS = 14;

    /** The longest window arena: 16 TiB, an eighth of the address space of a process. */
    public static final long MAX_WINDOW_BYTES = 1L << 44;

    public NodeDimensions {
        requireRange("size", size, 1, 1 << 16);
        requireContexts(contexts);
        requireRange("engines", engines, 1, 64);
        requireRange("fifos", fifos, 1, MAX_FIFOS - 2);
        requireRange("fifoSlots", fifoSlots, 2, 1 << 20);
        requirePowerOfTwo("fifoSlots", fifoSlots);
        requireRange("patternSlots", patternSlots, 1, 1 << 24);
        requireRange("patterns", patterns, 1, 1 << 20);
        requireRange("runSlots", runSlots, 2, 1 << 20);
        requirePowerOfTwo("runSlots", runSlots);
        requireRange("injectionCounters", injectionCounters, 1, 1 << 16);
        requireRange("receptionCounters", receptionCounters, 1, 1 << 16);
        requireRange("windows", windows, 1, 1 << 16);
        requireRange("names", names, 1, 1 << 16);
        requireRange("laneBytes", laneBytes, MIN_LANE_BYTES, 1 << 28);
        requirePowerOfTwo("laneBytes", laneBytes);
        requireRange("windowBytes", windowBytes, 0, MAX_WINDOW_BYTES);
    }

    /** Reception lanes into each context: one per engine of each rank, those of a rank side by side. */
    public int lanes() {
        return size * engines;
    }

    /** Threads that may count at the same time: each has metrics of its own. */
    public int metricBlocks() {
        return Math.max(contexts, engines);
    }

    /** Checks a number of contexts before there are other dimensions. */
    public static void requireContexts(int contexts) {
        requireRange("contexts", contexts, 1, 64);
    }

    private static void requireRange(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must be between " + least + " and " + most + ": " + name + "=" + value);
        }
    }

    private static void requirePowerOfTwo(String name, int value) {
        if (!BitUtil.isPowerOfTwo(value)) {
            throw new IllegalArgumentException(name + " must be a power of two: " + name + "=" + value);
        }
    }
}
