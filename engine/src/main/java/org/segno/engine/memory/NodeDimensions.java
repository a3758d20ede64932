package org.segno.engine.memory;

import org.agrona.BitUtil;

/**
 * Dimensions of a node, from which {@link NodeLayout} follows.
 *
 * @param size ranks of the job
 * @param contexts threading points of this node
 * @param engines DMA engines of each rank of the job, including this node
 * @param fifos ordinary injection FIFOs per context; if there are several, the last one is for its handlers; each
 *     context also has a recording and a persistent FIFO
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
    /** Minimum length of a lane in bytes: four records of a kilobyte. */
    public static final int MIN_LANE_BYTES = 4096;

    /** Maximum length in bytes of a lane that a node is given. A longer lane would exceed the cache and is slower. */
    public static final int MAX_LANE_BYTES = 64 * 1024;

    /** Length in bytes of each lane for the sends of handlers: four records of 256 bytes. */
    public static final int REPLY_LANE_BYTES = 1024;

    /** Maximum number of injection FIFOs of one context, including its recording FIFO and its persistent FIFO. */
    public static final int MAX_FIFOS = 128;

    /**
     * Default number of ordinary injection FIFOs of a context. With the recording FIFO and the persistent FIFO there
     * are sixteen.
     */
    public static final int DEFAULT_FIFOS = 14;

    /** Maximum length of the window arena in bytes: 16 TiB, an eighth of the address space of a process. */
    public static final long MAX_WINDOW_BYTES = 1L << 44;

    public NodeDimensions {
        requireRange("size", size, 1, 1 << 16);
        requireRange("contexts", contexts, 1, 64);
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

    /**
     * Returns the number of reception lanes into each context: one per engine of each rank, with those of a rank side
     * by side.
     */
    public int lanes() {
        return size * engines;
    }

    /** Returns the number of threads that may count at the same time. Each has its own block of metrics. */
    public int metricBlocks() {
        return Math.max(contexts, engines);
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
