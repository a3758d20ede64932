package org.segno.engine.memory;

import org.agrona.BitUtil;

/**
 * Dimensions of a node, from which {@link NodeLayout} follows.
 *
 * @param size ranks of the job
 * @param mapped ranks that map this node's file, including itself; all others reach it over links
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
        int mapped,
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

    /**
     * Maximum length in bytes of a lane that a node is given. With 64 KiB a stream of mixed lengths has half the rate;
     * with 512 KiB nothing is faster.
     */
    public static final int MAX_LANE_BYTES = 256 * 1024;

    /** Length in bytes of each lane for the sends of handlers: four records of 256 bytes. */
    public static final int REPLY_LANE_BYTES = 1024;

    /** Maximum number of injection FIFOs of one context, including its recording FIFO and its persistent FIFO. */
    public static final int MAX_FIFOS = 128;

    /**
     * Default number of ordinary injection FIFOs of a context. With the recording FIFO and the persistent FIFO there
     * are sixteen.
     */
    public static final int DEFAULT_FIFOS = 14;

    /** Bytes that the sets of ranks take together, as far as one set is not long. */
    private static final int RANK_SETS_BYTES = 64 * 1024;

    /** Length in bytes from which a set of ranks is long: that of jobs of more than 16,384 ranks. */
    private static final int LONG_RANK_SET_BYTES = 2048;

    /** Number of sets of ranks if each is long, unless there are fewer counters. */
    private static final int LONG_RANK_SETS = 4;

    /** Maximum number of ranks of a job. */
    public static final int MAX_SIZE = 1 << 16;

    /** Maximum length of the window arena in bytes: 16 TiB, an eighth of the address space of a process. */
    public static final long MAX_WINDOW_BYTES = 1L << 44;

    private static final String FIFO_SLOTS = "NodeConfig.withFifoSlots";
    private static final String RUN_SLOTS = "NodeConfig.withRunSlots";
    private static final String COUNTERS = "NodeConfig.withCounters";
    private static final String LANES = "NodeConfig.withLaneBudgetBytes";

    public NodeDimensions {
        requireRange("size", "JobConfig", size, 1, MAX_SIZE);
        requireRange("mapped", "JobConfig", mapped, 1, size);
        requireRange("contexts", "NodeConfig.withContexts", contexts, 1, 64);
        requireRange("engines", "NodeConfig.withEngines", engines, 1, 64);
        requireRange("fifos", "NodeConfig.withFifos", fifos, 1, MAX_FIFOS - 2);
        requireRange("fifoSlots", FIFO_SLOTS, fifoSlots, 2, 1 << 20);
        requirePowerOfTwo("fifoSlots", FIFO_SLOTS, fifoSlots);
        requireRange("patternSlots", "NodeConfig.withPatternBufferBytes", patternSlots, 1, 1 << 24);
        requireRange("patterns", "NodeConfig.withPatterns", patterns, 1, 1 << 20);
        requireRange("runSlots", RUN_SLOTS, runSlots, 2, 1 << 20);
        requirePowerOfTwo("runSlots", RUN_SLOTS, runSlots);
        requireRange("injectionCounters", COUNTERS, injectionCounters, 1, 1 << 16);
        requireRange("receptionCounters", COUNTERS, receptionCounters, 1, 1 << 16);
        requireRange("windows", "NodeConfig.withWindows", windows, 1, 1 << 16);
        requireRange("names", COUNTERS, names, 1, 1 << 16);
        requireRange("laneBytes", LANES, laneBytes, MIN_LANE_BYTES, 1 << 26);
        requirePowerOfTwo("laneBytes", LANES, laneBytes);
        requireRange("windowBytes", "NodeConfig.withWindowBytes", windowBytes, 0, MAX_WINDOW_BYTES);
    }

    /**
     * Returns the number of reception lanes into each context: one per engine of each rank that maps this node's file,
     * with those of a rank side by side.
     */
    public int lanes() {
        return mapped * engines;
    }

    /** Returns the number of a context's recording FIFO, which follows the ordinary ones. */
    public int recordingFifo() {
        return fifos;
    }

    /** Returns the number of a context's persistent FIFO, which is its last one. */
    public int persistentFifo() {
        return fifos + 1;
    }

    /** Returns the number of words of a set of ranks, which has one bit for each rank of the job. */
    public int rankSetWords() {
        return (size + Long.SIZE - 1) / Long.SIZE;
    }

    /**
     * Returns the number of different sets of ranks that counters may admit at a time. With 256 counters, jobs of up to
     * 2,048 ranks have one set for each counter. In a larger job, equal sets are shared and the number is limited: to
     * four in jobs of more than 16,384 ranks.
     */
    public int rankSets() {
        final int length = rankSetWords() * Long.BYTES;
        return Math.min(receptionCounters, length > LONG_RANK_SET_BYTES ? LONG_RANK_SETS : RANK_SETS_BYTES / length);
    }

    /** Returns the number of threads that may count at the same time. Each has its own block of metrics. */
    public int metricBlocks() {
        return Math.max(contexts, engines);
    }

    private static void requireRange(String name, String setting, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be between " + least + " and " + most + ", set " + setting
                    + ": " + name + "=" + value);
        }
    }

    private static void requirePowerOfTwo(String name, String setting, int value) {
        if (!BitUtil.isPowerOfTwo(value)) {
            throw new IllegalArgumentException(
                    name + " must be a power of two, set " + setting + ": " + name + "=" + value);
        }
    }
}
