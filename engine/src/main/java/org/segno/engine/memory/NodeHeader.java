package org.segno.engine.memory;

import java.nio.ByteOrder;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.status.SegnoException;

/**
 * The first page of a node's file: the identity of its owner and the dimensions of its layout. Every process that joins
 * validates all of it.
 *
 * <pre>
 *  offset  length  field           meaning                                             written by      access
 *       0       8  magic           "SEGNO" and the layout version                      owner, last     release
 *       8       4  byte order      1 in the machine's order                            owner           plain
 *      12       4  layout hash     fingerprint of all parts and record lengths         owner           plain
 *      16      16  job id          128 random bits                                     owner           plain
 *      32       4  rank                                                                owner           plain
 *      36       4  size            ranks of the job                                    owner           plain
 *      40       8  pid                                                                 owner           plain
 *      48       8  process start   clock ticks since boot, detects reused pids         owner           plain
 *      56       8  file length     bytes                                               owner           plain
 *      64      56  dimensions      14 fields of NodeDimensions                         owner           plain
 *     120       8  window bytes    the last of its fields                              owner           plain
 *     128       8  state           {@link #MADE}, {@link #RUNNING}, {@link #CLOSED}    owner           release
 *     136     120  reserved
 *     256       8  heartbeat       nanoseconds of the membership thread's clock        membership      release
 *     264     248  reserved
 *     512     432  parts           offset and length of each of the 27 parts           owner           plain
 *     944    3152  reserved
 *    4096          LENGTH
 * </pre>
 */
public final class NodeHeader {
    public static final int MADE = 1;
    public static final int RUNNING = 2;
    public static final int CLOSED = 3;

    static final int MAGIC_OFFSET = 0;
    static final int BYTE_ORDER_OFFSET = 8;
    static final int HASH_OFFSET = 12;
    static final int JOB_OFFSET = 16;
    static final int RANK_OFFSET = 32;
    static final int SIZE_OFFSET = 36;
    static final int PID_OFFSET = 40;
    static final int START_OFFSET = 48;
    static final int FILE_LENGTH_OFFSET = 56;
    static final int DIMENSIONS_OFFSET = 64;
    static final int STATE_OFFSET = 128;
    static final int HEARTBEAT_OFFSET = 256;
    static final int PARTS_OFFSET = 512;
    static final int PART_LENGTH = 16;
    static final int LENGTH = NodeLayout.PAGE;

    static final int WINDOW_BYTES_OFFSET = 120;

    private static final int DIMENSION_COUNT = 15;
    private static final long MAGIC = 0x5345474E_4F000000L | NodeLayout.VERSION;
    private static final long VERSION_MASK = 0xFFFFFF;
    private static final String UPGRADE = "run the same version of Segno in every process of the job";
    private static final String STRAY =
            "the file belongs to another job or rank: remove the job's directory and restart the job";

    private final Memory memory;

    /** Maps the header in a mapping of the owner's half. */
    public NodeHeader(Memory memory) {
        this.memory = memory;
    }

    /**
     * Identity of a node.
     *
     * @param jobHigh upper 64 bits of the job's id
     * @param jobLow lower 64 bits of the job's id
     * @param rank rank of the node
     * @param pid id of its process
     * @param processStart start time of that process in the system's units
     */
    public record Identity(long jobHigh, long jobLow, int rank, long pid, long processStart) {}

    void write(NodeLayout layout, Identity identity) {
        memory.putInt(BYTE_ORDER_OFFSET, 1);
        memory.putInt(HASH_OFFSET, NodeLayout.hash());
        memory.putLong(JOB_OFFSET, identity.jobHigh());
        memory.putLong(JOB_OFFSET + Long.BYTES, identity.jobLow());
        memory.putInt(RANK_OFFSET, identity.rank());
        memory.putInt(SIZE_OFFSET, layout.dimensions().size());
        memory.putLong(PID_OFFSET, identity.pid());
        memory.putLong(START_OFFSET, identity.processStart());
        memory.putLong(FILE_LENGTH_OFFSET, layout.fileLength());
        final long[] dimensions = toArray(layout.dimensions());
        for (int i = 0; i < DIMENSION_COUNT - 1; i++) {
            memory.putInt(DIMENSIONS_OFFSET + i * Integer.BYTES, (int) dimensions[i]);
        }
        memory.putLong(WINDOW_BYTES_OFFSET, dimensions[DIMENSION_COUNT - 1]);
        int entry = PARTS_OFFSET;
        for (final Part part : Part.values()) {
            memory.putLong(entry, layout.offset(part));
            memory.putLong(entry + Long.BYTES, layout.length(part));
            entry += PART_LENGTH;
        }
        memory.putLongRelease(STATE_OFFSET, MADE);
        memory.putLongRelease(MAGIC_OFFSET, MAGIC);
    }

    /**
     * Validates a peer's header and returns the layout that it describes.
     *
     * @throws SegnoException if anything differs from this process's expectation; the message names the difference
     */
    NodeLayout check(String file, Identity expected, int size, long fileLength) {
        checkFormat(file, "restart the job");
        require(file, "job id, upper half", expected.jobHigh(), memory.getLong(JOB_OFFSET), STRAY);
        require(file, "job id, lower half", expected.jobLow(), memory.getLong(JOB_OFFSET + Long.BYTES), STRAY);
        require(file, "rank", expected.rank(), memory.getInt(RANK_OFFSET), STRAY);
        require(file, "process id", expected.pid(), memory.getLong(PID_OFFSET), STRAY);
        require(file, "size of the job", size, memory.getInt(SIZE_OFFSET), "give every rank the same SEGNO_SIZE");
        return checkLayout(file, fileLength, STRAY);
    }

    /**
     * Validates the header of an unknown owner, as far as possible, and returns the layout that it describes.
     *
     * @throws SegnoException if it is not a node file, has another version, or contradicts itself; the message names
     *     the field
     */
    NodeLayout checkUnknown(String file, long fileLength) {
        requireThisBuild(file);
        checkFormat(file, "this is no node file, or one of another version of Segno: use the tools of that version");
        final String stray = "the file is damaged or truncated: inspect another one";
        require(file, "file length", memory.getLong(FILE_LENGTH_OFFSET), fileLength, stray);
        final NodeLayout layout = checkLayout(file, fileLength, stray);
        final int size = layout.dimensions().size();
        require(file, "size of the job", size, memory.getInt(SIZE_OFFSET), "the header is damaged");
        if (rank() < 0 || rank() >= size) {
            throw new SegnoException(file + " has the impossible rank " + rank() + " in a job of " + size
                    + " ranks: the header is damaged");
        }
        return layout;
    }

    /**
     * Checks that the owner has the same layout. If not, every word has another meaning, and the differences that the
     * other checks would report mislead.
     */
    private void requireThisBuild(String file) {
        final long magic = memory.getLongAcquire(MAGIC_OFFSET);
        final int hash = memory.getInt(HASH_OFFSET);
        final boolean isNode =
                (magic & ~VERSION_MASK) == (MAGIC & ~VERSION_MASK) && memory.getInt(BYTE_ORDER_OFFSET) == 1;
        if (isNode && (magic != MAGIC || hash != NodeLayout.hash())) {
            throw new SegnoException(String.format(
                    "%s was written by another build of Segno: it has layout %d, layout hash %08x;"
                            + " this build has layout %d, layout hash %08x; use the tools of that build",
                    file, magic & VERSION_MASK, hash, NodeLayout.VERSION, NodeLayout.hash()));
        }
    }

    private void checkFormat(String file, String foreign) {
        final long magic = memory.getLongAcquire(MAGIC_OFFSET);
        require(file, "magic and layout version", Long.toHexString(MAGIC), Long.toHexString(magic), foreign);
        require(
                file,
                "byte order",
                ByteOrder.nativeOrder() + " 1",
                ByteOrder.nativeOrder() + " " + memory.getInt(BYTE_ORDER_OFFSET),
                UPGRADE);
        require(file, "layout hash", NodeLayout.hash(), memory.getInt(HASH_OFFSET), UPGRADE);
    }

    private NodeLayout checkLayout(String file, long fileLength, String stray) {
        require(file, "file length", fileLength, memory.getLong(FILE_LENGTH_OFFSET), stray);
        final NodeLayout layout = readLayout(file);
        require(file, "file length by its layout", fileLength, layout.fileLength(), stray);
        int entry = PARTS_OFFSET;
        for (final Part part : Part.values()) {
            require(file, "offset of " + part, layout.offset(part), memory.getLong(entry), stray);
            require(file, "length of " + part, layout.length(part), memory.getLong(entry + Long.BYTES), stray);
            entry += PART_LENGTH;
        }
        return layout;
    }

    private NodeLayout readLayout(String file) {
        final int[] d = new int[DIMENSION_COUNT - 1];
        for (int i = 0; i < d.length; i++) {
            d[i] = memory.getInt(DIMENSIONS_OFFSET + i * Integer.BYTES);
        }
        final long windowBytes = memory.getLong(WINDOW_BYTES_OFFSET);
        try {
            return NodeLayout.of(new NodeDimensions(
                    d[0],
                    d[1],
                    d[2],
                    d[3],
                    d[4],
                    d[5],
                    d[6],
                    d[7],
                    d[8],
                    d[9],
                    d[10],
                    d[11],
                    d[12],
                    d[13],
                    windowBytes));
        } catch (final IllegalArgumentException e) {
            throw new SegnoException(file + " has dimensions out of range: " + e.getMessage(), e);
        }
    }

    private static long[] toArray(NodeDimensions d) {
        return new long[] {
            d.size(),
            d.mapped(),
            d.contexts(),
            d.engines(),
            d.fifos(),
            d.fifoSlots(),
            d.patternSlots(),
            d.patterns(),
            d.runSlots(),
            d.injectionCounters(),
            d.receptionCounters(),
            d.windows(),
            d.names(),
            d.laneBytes(),
            d.windowBytes()
        };
    }

    private static void require(String file, String what, Object expected, Object found, String remedy) {
        if (!expected.equals(found)) {
            throw new SegnoException(
                    file + " differs in its " + what + ": expected " + expected + ", found " + found + "; " + remedy);
        }
    }

    /** Returns the identity of the node from its header. The value is not validated. */
    public Identity identity() {
        return new Identity(
                memory.getLong(JOB_OFFSET),
                memory.getLong(JOB_OFFSET + Long.BYTES),
                rank(),
                pid(),
                memory.getLong(START_OFFSET));
    }

    public int rank() {
        return memory.getInt(RANK_OFFSET);
    }

    public long pid() {
        return memory.getLong(PID_OFFSET);
    }

    public long stateAcquire() {
        return memory.getLongAcquire(STATE_OFFSET);
    }

    /** Publishes the state. Called by the owner. */
    public void stateRelease(int state) {
        memory.putLongRelease(STATE_OFFSET, state);
    }

    public long heartbeatAcquire() {
        return memory.getLongAcquire(HEARTBEAT_OFFSET);
    }

    /** Publishes a heartbeat, which shows that the process is scheduled. Called by the owner's membership thread. */
    public void heartbeatRelease(long nowNs) {
        memory.putLongRelease(HEARTBEAT_OFFSET, nowNs);
    }
}
