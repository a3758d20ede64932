package org.segno.engine.memory;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.agrona.BitUtil;

/**
 * Layout of a node's file.
 *
 * <p>The file has two page-aligned halves and the window arena. The half that only the owner writes comes first, so
 * that peers can map it read-only. The half that peers write comes after it. The offset of a part is relative to the
 * mapping of its half.
 *
 * <pre>
 *  part              half    item bytes  items                       contents
 *  HEADER            owner         4096  1                           {@link NodeHeader}
 *  NAMES             owner          128  names                       published counters
 *  TAILS             owner         1024  contexts                    adjacent tails of a context's FIFOs, 8 bytes each
 *  HEADS             owner         1024  contexts                    heads, likewise, written by the engine
 *  ANNOUNCEMENTS     owner          128  contexts                    count of changes of FIFO settings
 *  CONTEXT_STATES    owner            8  contexts                    use and client of each context
 *  FIFO_SETTINGS     owner          256  contexts x (fifos + 2)      settings and status of one FIFO
 *  FIFO_SLOTS        owner           64  contexts x fifos x slots    descriptors
 *  PATTERN_BUFFER    owner           64  contexts x patternSlots     recorded sections
 *  RUN_RINGS         owner           32  contexts x 2 x runSlots     runs: recording ring, persistent ring
 *  PATTERN_STATES    owner           16  contexts x patterns         executed generation and error of each pattern
 *  PATTERN_TABLE     owner           16  contexts x patterns         id and section of each pattern
 *  COUNTER_SETTINGS  owner           64  receptionCounters           base, limit, sources, incarnation
 *  RANK_SETS         owner            8  rankSets x rankSetWords     sets of ranks that counters admit, one bit a rank
 *  WINDOW_TABLE      owner           32  windows                     base, length, incarnation
 *  PEER_STATES       owner            1  128 + size                  peers as seen by the membership thread
 *  METRICS           owner         4096  max(contexts, engines)      monotonic counts, one block per counting thread
 *  ERROR_LOG         owner        65536  1                           distinct errors
 *  LANE_ORIGINS      owner            4  mapped                      ranks that have lanes here, ascending
 *  LANE_HEADS        owner          128  2 x contexts x lanes        consumer positions: lanes, then reply lanes
 *  QUIET_COUNTS      owner          128  engines + contexts          counts of quiet points: of engines, then of loans
 *  DOORBELLS         owner          128  contexts                    state of the waiter of each context, and its pipe
 *  OWED_EVENTS       peers          128  contexts                    count of hits whose events had no room in a lane
 *  LANES             peers    laneBytes  contexts x lanes            reception lanes, one per context and origin engine
 *  REPLY_LANES       peers         1024  contexts x lanes            lanes for the sends of handlers, likewise
 *  WINDOWS           arena            1  windowBytes                 registered memory
 *  COUNTER_VALUES    arena          128  injection + reception       value and error word of each counter, and memory
 *                                                                    in the line of the value
 * </pre>
 */
public final class NodeLayout {
    /** The halves of a node's file and the arena. Each is one range of memory. */
    public enum Half {
        OWNER(0),
        PEERS(1),
        ARENA(2);

        private final int index;

        Half(int index) {
            this.index = index;
        }
    }

    /** The parts of a node's file in the order of their position. */
    public enum Part {
        HEADER(0, Half.OWNER),
        NAMES(1, Half.OWNER),
        TAILS(2, Half.OWNER),
        HEADS(3, Half.OWNER),
        ANNOUNCEMENTS(4, Half.OWNER),
        CONTEXT_STATES(5, Half.OWNER),
        FIFO_SETTINGS(6, Half.OWNER),
        FIFO_SLOTS(7, Half.OWNER),
        PATTERN_BUFFER(8, Half.OWNER),
        RUN_RINGS(9, Half.OWNER),
        PATTERN_STATES(10, Half.OWNER),
        PATTERN_TABLE(11, Half.OWNER),
        COUNTER_SETTINGS(12, Half.OWNER),
        RANK_SETS(13, Half.OWNER),
        WINDOW_TABLE(14, Half.OWNER),
        PEER_STATES(15, Half.OWNER),
        METRICS(16, Half.OWNER),
        ERROR_LOG(17, Half.OWNER),
        LANE_ORIGINS(18, Half.OWNER),
        LANE_HEADS(19, Half.OWNER),
        QUIET_COUNTS(20, Half.OWNER),
        DOORBELLS(21, Half.OWNER),
        OWED_EVENTS(22, Half.PEERS),
        LANES(23, Half.PEERS),
        REPLY_LANES(24, Half.PEERS),
        WINDOWS(25, Half.ARENA),
        COUNTER_VALUES(26, Half.ARENA);

        private final int index;
        private final Half half;

        Part(int index, Half half) {
            this.index = index;
            this.half = half;
        }

        /** Returns the half of the file that contains this part. */
        public Half half() {
            return half;
        }
    }

    /** Version of the layout. It changes whenever the shape of any record of the file changes. */
    public static final int VERSION = 7;

    public static final int PAGE = 4096;
    public static final int LINE_PAIR = 128;
    public static final int NAME_LENGTH = 128;
    public static final int POSITIONS_LENGTH = NodeDimensions.MAX_FIFOS * Long.BYTES;
    public static final int CONTEXT_STATE_LENGTH = 8;
    public static final int FIFO_SETTINGS_LENGTH = 256;
    public static final int DESCRIPTOR_LENGTH = 64;
    public static final int RUN_LENGTH = 32;
    public static final int PATTERN_STATE_LENGTH = 16;
    public static final int PATTERN_ENTRY_LENGTH = 16;
    public static final int COUNTER_SETTINGS_LENGTH = 64;
    public static final int COUNTER_VALUE_LENGTH = 128;

    /** Offset from a counter's value of the memory that shares its cache line, and the bytes of that memory. */
    public static final int COUNTER_MEMORY_OFFSET = 8;

    public static final int COUNTER_MEMORY_LENGTH = 56;
    public static final int WINDOW_LENGTH = 32;
    public static final int PEER_STATES_HEADER_LENGTH = 128;
    public static final int METRICS_LENGTH = 4096;
    public static final int ERROR_LOG_LENGTH = 65536;

    private static final Part[] PARTS = Part.values();

    /** Maximum length of one mapping in bytes. The arena may be longer: {@link ContiguousMapping}. */
    static final long LARGEST_MAPPING = Integer.MAX_VALUE;

    private final NodeDimensions dimensions;
    private final long[] offsets = new long[PARTS.length];
    private final long[] lengths = new long[PARTS.length];
    private final long[] halfLengths = new long[Half.values().length];

    private NodeLayout(NodeDimensions dimensions) {
        this.dimensions = dimensions;
    }

    /**
     * Returns the layout that follows from {@code dimensions}.
     *
     * @throws IllegalArgumentException if a half is too long for one mapping
     */
    public static NodeLayout of(NodeDimensions dimensions) {
        final NodeLayout layout = new NodeLayout(dimensions);
        for (final Part part : PARTS) {
            final int half = part.half.index;
            final long length = layout.lengthOf(part);
            layout.offsets[part.index] = layout.halfLengths[half];
            layout.lengths[part.index] = length;
            layout.halfLengths[half] += BitUtil.align(length, LINE_PAIR);
        }
        for (final Half half : Half.values()) {
            final long length = BitUtil.align(layout.halfLengths[half.index], PAGE);
            if (length > LARGEST_MAPPING && half != Half.ARENA) {
                throw new IllegalArgumentException("the " + half + " half of the node file would take " + length
                        + " bytes, more than one mapping holds (" + LARGEST_MAPPING
                        + "); reduce the number or size of its parts: "
                        + dimensions);
            }
            layout.halfLengths[half.index] = length;
        }
        return layout;
    }

    private long lengthOf(Part part) {
        final NodeDimensions d = dimensions;
        return switch (part) {
            case HEADER -> PAGE;
            case NAMES -> (long) d.names() * NAME_LENGTH;
            case QUIET_COUNTS -> ((long) d.engines() + d.contexts()) * LINE_PAIR;
            case TAILS, HEADS -> (long) d.contexts() * POSITIONS_LENGTH;
            case ANNOUNCEMENTS, DOORBELLS, OWED_EVENTS -> (long) d.contexts() * LINE_PAIR;
            case CONTEXT_STATES -> (long) d.contexts() * CONTEXT_STATE_LENGTH;
            case FIFO_SETTINGS -> (long) d.contexts() * (d.fifos() + 2) * FIFO_SETTINGS_LENGTH;
            case FIFO_SLOTS -> (long) d.contexts() * d.fifos() * d.fifoSlots() * DESCRIPTOR_LENGTH;
            case PATTERN_BUFFER -> (long) d.contexts() * d.patternSlots() * DESCRIPTOR_LENGTH;
            case RUN_RINGS -> (long) d.contexts() * 2 * d.runSlots() * RUN_LENGTH;
            case PATTERN_STATES -> (long) d.contexts() * d.patterns() * PATTERN_STATE_LENGTH;
            case PATTERN_TABLE -> (long) d.contexts() * d.patterns() * PATTERN_ENTRY_LENGTH;
            case COUNTER_SETTINGS -> (long) d.receptionCounters() * COUNTER_SETTINGS_LENGTH;
            case RANK_SETS -> (long) d.rankSets() * d.rankSetWords() * Long.BYTES;
            case WINDOW_TABLE -> (long) d.windows() * WINDOW_LENGTH;
            case PEER_STATES -> PEER_STATES_HEADER_LENGTH + (long) d.size();
            case METRICS -> (long) d.metricBlocks() * METRICS_LENGTH;
            case ERROR_LOG -> ERROR_LOG_LENGTH;
            case LANE_ORIGINS -> (long) d.mapped() * Integer.BYTES;
            case LANE_HEADS -> 2L * d.contexts() * d.lanes() * LINE_PAIR;
            case COUNTER_VALUES -> (long) (d.injectionCounters() + d.receptionCounters()) * COUNTER_VALUE_LENGTH;
            case LANES -> (long) d.contexts() * d.lanes() * d.laneBytes();
            case REPLY_LANES -> (long) d.contexts() * d.lanes() * NodeDimensions.REPLY_LANE_BYTES;
            case WINDOWS -> d.windowBytes();
        };
    }

    public NodeDimensions dimensions() {
        return dimensions;
    }

    /** Returns the offset of the part in the mapping of its half. */
    public long offset(Part part) {
        return offsets[part.index];
    }

    /** Returns the offset of the tail of a context's FIFO in the mapping of the owner's half. */
    public long tailOffset(int context, int fifo) {
        return offset(Part.TAILS) + (long) context * POSITIONS_LENGTH + (long) fifo * Long.BYTES;
    }

    public long length(Part part) {
        return lengths[part.index];
    }

    /** Returns the length of the half in bytes, whole pages. */
    public long length(Half half) {
        return halfLengths[half.index];
    }

    /** Returns the offset of the half in the file. */
    public long fileOffset(Half half) {
        long offset = 0;
        for (int before = 0; before < half.index; before++) {
            offset += halfLengths[before];
        }
        return offset;
    }

    /** Returns the length of the whole file in bytes. */
    public long fileLength() {
        return fileOffset(Half.ARENA) + length(Half.ARENA);
    }

    /**
     * Returns a fingerprint of all parts and record lengths. Two programs with different fingerprints cannot share a
     * job.
     */
    public static int hash() {
        final NodeLayout sample =
                of(new NodeDimensions(2, 2, 1, 1, 1, 2, 1, 1, 2, 1, 1, 1, 1, NodeDimensions.MIN_LANE_BYTES, PAGE));
        final StringBuilder text = new StringBuilder("segno ").append(VERSION);
        for (final Part part : PARTS) {
            text.append(' ')
                    .append(part)
                    .append(' ')
                    .append(sample.offset(part))
                    .append('+')
                    .append(sample.length(part));
        }
        final CRC32 crc = new CRC32();
        crc.update(text.toString().getBytes(StandardCharsets.US_ASCII));
        return (int) crc.getValue();
    }
}
