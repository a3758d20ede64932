package org.segno.engine.fifo;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;

/**
 * Settings and status of one injection FIFO. The record has two lines, each with one writer. Head and tail lie
 * elsewhere, side by side with those of the context's other FIFOs.
 *
 * <p>Capacity, kind and start are set before activation. Activate and deactivate are numbered requests of the
 * application, which makes them in turn. The engine acknowledges a request by storing the number of the request that it
 * has carried out. Other settings may change at any time. A count per context announces each change, and the engine
 * applies it soon after.
 *
 * <pre>
 *  offset  length  field                 meaning                                              written by    access
 *       0       8  start                 offset of slot 0, or of the pattern buffer           application   plain
 *       8       4  slots                 capacity, or slots of the pattern buffer             application   plain
 *      12       4  kind                  {@link #ORDINARY} to {@link #REPLY}  application   plain
 *      16       8  enable                0 or 1                                               application   release
 *      24       8  activate              count of requests                                    application   release
 *      32       8  deactivate            count of requests                                    application   release
 *      40       8  threshold             fill below which an event is raised, 0 for none       application   plain
 *      48       8  threshold clears      count                                                application   release
 *      56       4  priority              n: visited n times more in a pass than 0              application   plain
 *      60       4  link mask             bit 0: mapped memory, bit 1: links                    application   plain
 *      64       8  quantum bytes         maximum served in one visit                          application   plain
 *      72       8  quantum descriptors   maximum served in one visit                          application   plain
 *      80       8  section tail          position of the open run, and its written slots      application   release
 *      88       8  free threshold        free slots at which an event is raised, 0 for none   application   plain
 *      96       8  free threshold clears  count                                               application   release
 *     104       8  section changes       count of written sections, and the pattern of the last   application   release
 *     112      16  reserved
 *     128       8  active                number of the last activate request carried out      engine        release
 *     136       8  inactive              number of the last deactivate request carried out    engine        release
 *     144       8  threshold crossings   count                                                engine        release
 *     152       8  descriptors           count carried out, including refused ones            engine        release
 *     160       8  quarantine            0, or the refusal for which it is not served         engine        release
 *     168       8  held                  runs set aside at a WAIT                             engine        release
 *     176       8  free threshold crossings  count                                            engine        release
 *     184      72  reserved
 *     256          LENGTH
 * </pre>
 */
public final class FifoMetadata {
    /** Kind of a FIFO that is a ring of descriptor slots. */
    public static final int ORDINARY = 0;

    /**
     * Kind of a FIFO that serves sections of the pattern buffer, one after the other, while they are still being
     * written.
     */
    public static final int RECORDING = 1;

    public static final int PERSISTENT = 2;

    /** Kind of a FIFO that is a ring of descriptor slots for the sends of handlers. */
    public static final int REPLY = 3;

    /** Default limit in bytes for one visit: large enough to hide the cost of a visit. */
    public static final long DEFAULT_QUANTUM_BYTES = 256 * 1024;

    public static final int ALL_LINKS = -1;

    /** Bit of the link mask for mapped memory. */
    public static final int MEMORY_LINK = 1;

    /** Bit of the link mask for all links to nodes without mapped memory. */
    public static final int PACKET_LINKS = 2;

    public static final int MAX_PRIORITY = 15;

    /** Maximum number of runs of one FIFO that are set aside. One more that would be set aside holds the whole FIFO. */
    public static final int MAX_HELD_RUNS = 64;

    public static final int DEFAULT_QUANTUM_DESCRIPTORS = 1024;

    private static final int SLOTS_OFFSET = 8;
    private static final int KIND_OFFSET = 12;
    private static final int ENABLE_OFFSET = 16;
    private static final int ACTIVATE_OFFSET = 24;
    private static final int DEACTIVATE_OFFSET = 32;
    private static final int THRESHOLD_OFFSET = 40;
    private static final int CLEARS_OFFSET = 48;
    private static final int PRIORITY_OFFSET = 56;
    private static final int LINK_MASK_OFFSET = 60;
    private static final int QUANTUM_BYTES_OFFSET = 64;
    private static final int QUANTUM_DESCRIPTORS_OFFSET = 72;
    private static final int SECTION_TAIL_OFFSET = 80;
    private static final int FREE_THRESHOLD_OFFSET = 88;
    private static final int FREE_CLEARS_OFFSET = 96;
    private static final int SECTION_CHANGES_OFFSET = 104;
    private static final int ACTIVE_OFFSET = 128;
    private static final int INACTIVE_OFFSET = 136;
    private static final int CROSSINGS_OFFSET = 144;
    private static final int DESCRIPTORS_OFFSET = 152;
    private static final int QUARANTINE_OFFSET = 160;
    private static final int HELD_OFFSET = 168;
    private static final int FREE_CROSSINGS_OFFSET = 176;

    private final Memory memory;
    private final long offset;
    private final long announcements;
    private final long tailOffset;
    private final long headOffset;

    /**
     * Maps the record of FIFO {@code fifo} of a context. The ordinary FIFOs come first, then the recording FIFO, and
     * last the persistent FIFO.
     */
    public FifoMetadata(NodeMemory node, int context, int fifo) {
        final NodeLayout layout = node.layout();
        final int perContext = layout.dimensions().fifos() + 2;
        this.memory = node.owner();
        this.offset = layout.offset(Part.FIFO_SETTINGS)
                + ((long) context * perContext + fifo) * NodeLayout.FIFO_SETTINGS_LENGTH;
        this.announcements = layout.offset(Part.ANNOUNCEMENTS) + (long) context * NodeLayout.LINE_PAIR;
        this.tailOffset = layout.tailOffset(context, fifo);
        this.headOffset = tailOffset + layout.offset(Part.HEADS) - layout.offset(Part.TAILS);
    }

    /** Initializes the FIFO and requests its service. Called by the application. */
    public void activate(int kind, long start, int slots) {
        place(start, slots);
        memory.putInt(offset + KIND_OFFSET, kind);
        memory.putLong(offset + QUANTUM_BYTES_OFFSET, DEFAULT_QUANTUM_BYTES);
        memory.putLong(offset + QUANTUM_DESCRIPTORS_OFFSET, DEFAULT_QUANTUM_DESCRIPTORS);
        memory.putInt(offset + PRIORITY_OFFSET, 0);
        memory.putInt(offset + LINK_MASK_OFFSET, ALL_LINKS);
        memory.putLongRelease(offset + ENABLE_OFFSET, 1);
        activate();
    }

    /** Sets the settings that an application may change to their defaults. Called by the application. */
    public void reset() {
        memory.putLong(offset + THRESHOLD_OFFSET, 0);
        memory.putLong(offset + FREE_THRESHOLD_OFFSET, 0);
        clearThreshold();
        clearFreeThreshold();
        priorityAndLinks(0, ALL_LINKS);
        quantum(DEFAULT_QUANTUM_BYTES, DEFAULT_QUANTUM_DESCRIPTORS);
    }

    /** Requests service of a FIFO that is not active. Called by the application. */
    public void activate() {
        memory.putLongRelease(offset + ACTIVATE_OFFSET, memory.getLong(offset + ACTIVATE_OFFSET) + 1);
        announce();
    }

    /** Requests the end of the service of an active FIFO. Called by the application. */
    public void deactivate() {
        memory.putLongRelease(offset + DEACTIVATE_OFFSET, memory.getLong(offset + DEACTIVATE_OFFSET) + 1);
        announce();
    }

    void place(long start, int slots) {
        memory.putLong(offset, start);
        memory.putInt(offset + SLOTS_OFFSET, slots);
    }

    public void quantum(long bytes, int descriptors) {
        memory.putLong(offset + QUANTUM_BYTES_OFFSET, bytes);
        memory.putLong(offset + QUANTUM_DESCRIPTORS_OFFSET, descriptors);
        announce();
    }

    public void priorityAndLinks(int priority, int linkMask) {
        memory.putInt(offset + PRIORITY_OFFSET, priority);
        memory.putInt(offset + LINK_MASK_OFFSET, linkMask);
        announce();
    }

    /**
     * Sets the fill below which the engine notes a crossing, in descriptors; zero disables it. Called by the
     * application.
     */
    public void threshold(long descriptors) {
        memory.putLong(offset + THRESHOLD_OFFSET, descriptors);
        announce();
    }

    /**
     * Sets the number of free slots at which the engine notes a crossing; zero disables it. Called by the application.
     */
    public void freeThreshold(long slots) {
        memory.putLong(offset + FREE_THRESHOLD_OFFSET, slots);
        announce();
    }

    public void clearThreshold() {
        clear(CROSSINGS_OFFSET, CLEARS_OFFSET);
    }

    /** Clears the crossings of the threshold of free slots. Called by the application. */
    public void clearFreeThreshold() {
        clear(FREE_CROSSINGS_OFFSET, FREE_CLEARS_OFFSET);
    }

    private void clear(int crossings, int clears) {
        memory.putLongRelease(offset + clears, memory.getLongAcquire(offset + crossings));
    }

    /** Returns true if the fill has crossed the threshold since the crossings were last cleared. */
    public boolean wasThresholdCrossed() {
        return wasCrossed(CROSSINGS_OFFSET, CLEARS_OFFSET);
    }

    /** Returns true if the number of free slots has crossed its threshold since the crossings were last cleared. */
    public boolean wasFreeThresholdCrossed() {
        return wasCrossed(FREE_CROSSINGS_OFFSET, FREE_CLEARS_OFFSET);
    }

    private boolean wasCrossed(int crossings, int clears) {
        return memory.getLongAcquire(offset + crossings) != memory.getLongAcquire(offset + clears);
    }

    private void announce() {
        memory.putLongRelease(announcements, memory.getLong(announcements) + 1);
    }

    void crossed() {
        count(CROSSINGS_OFFSET);
    }

    void freeCrossed() {
        count(FREE_CROSSINGS_OFFSET);
    }

    private void count(int crossings) {
        memory.putLongRelease(offset + crossings, memory.getLong(offset + crossings) + 1);
    }

    long freeThreshold() {
        return memory.getLong(offset + FREE_THRESHOLD_OFFSET);
    }

    long threshold() {
        return memory.getLong(offset + THRESHOLD_OFFSET);
    }

    public int priority() {
        return memory.getInt(offset + PRIORITY_OFFSET);
    }

    public int linkMask() {
        return memory.getInt(offset + LINK_MASK_OFFSET);
    }

    public long start() {
        return memory.getLong(offset);
    }

    public int slots() {
        return memory.getInt(offset + SLOTS_OFFSET);
    }

    public int kind() {
        return memory.getInt(offset + KIND_OFFSET);
    }

    long quantumBytes() {
        return memory.getLong(offset + QUANTUM_BYTES_OFFSET);
    }

    long quantumDescriptors() {
        return memory.getLong(offset + QUANTUM_DESCRIPTORS_OFFSET);
    }

    /** Returns true if the application requests service for the FIFO. Called by the engine. */
    public boolean wantsService() {
        // Read the later request first: a reader that sees it also sees the requests before it.
        final long deactivated = memory.getLongAcquire(offset + DEACTIVATE_OFFSET);
        final long activated = memory.getLongAcquire(offset + ACTIVATE_OFFSET);
        return activated > deactivated && memory.getLongAcquire(offset + ENABLE_OFFSET) != 0;
    }

    void confirmActive() {
        memory.putLongRelease(offset + ACTIVE_OFFSET, memory.getLongAcquire(offset + ACTIVATE_OFFSET));
    }

    /**
     * Acknowledges the deactivation: the engine no longer serves or touches the FIFO until its next activation. Called
     * by the engine.
     */
    public void confirmInactive() {
        memory.putLongRelease(offset + INACTIVE_OFFSET, memory.getLongAcquire(offset + DEACTIVATE_OFFSET));
    }

    /**
     * Returns true from the engine's acknowledgement of the activation until its acknowledgement of the deactivation.
     */
    public boolean isActive() {
        final long deactivated = memory.getLongAcquire(offset + DEACTIVATE_OFFSET);
        final long activated = memory.getLongAcquire(offset + ACTIVATE_OFFSET);
        return activated > deactivated
                ? memory.getLongAcquire(offset + ACTIVE_OFFSET) == activated
                : memory.getLongAcquire(offset + INACTIVE_OFFSET) != deactivated;
    }

    /**
     * Returns true if the last request of the application was for service rather than for its end. Called by the
     * application.
     */
    public boolean isRequested() {
        return memory.getLong(offset + ACTIVATE_OFFSET) > memory.getLong(offset + DEACTIVATE_OFFSET);
    }

    /**
     * Returns true if the engine serves the FIFO, will serve it, or has not yet confirmed its deactivation. Called by
     * the application.
     */
    public boolean isInUse() {
        return isRequested() || isActive();
    }

    /** Returns true once service was requested for the first time. Called by the application. */
    boolean wasOpened() {
        return memory.getLong(offset + ACTIVATE_OFFSET) != 0;
    }

    /** Returns zero, or the code of the refusal for which the engine no longer serves this FIFO. */
    public long quarantineAcquire() {
        return memory.getLongAcquire(offset + QUARANTINE_OFFSET);
    }

    void quarantine(int code) {
        memory.putLongRelease(offset + QUARANTINE_OFFSET, code);
    }

    /**
     * Returns the number of descriptors that the engine has carried out, including refused ones. It serves for
     * completion by sequence number.
     */
    public long descriptorsAcquire() {
        return memory.getLongAcquire(offset + DESCRIPTORS_OFFSET);
    }

    void addDescriptors(long count) {
        memory.putLongRelease(offset + DESCRIPTORS_OFFSET, memory.getLong(offset + DESCRIPTORS_OFFSET) + count);
    }

    /**
     * Returns the number of runs that are set aside, at a WAIT or queued, or that have resumed after that. It includes
     * runs that the head has already passed.
     */
    public long heldAcquire() {
        return memory.getLongAcquire(offset + HELD_OFFSET);
    }

    void heldRelease(long runs) {
        memory.putLongRelease(offset + HELD_OFFSET, runs);
    }

    /** Returns the offset of the tail for the engine, which reads the tail in every pass. */
    public long tailOffset() {
        return tailOffset;
    }

    public long tailAcquire() {
        return memory.getLongAcquire(tailOffset);
    }

    /** Returns the head. All descriptors before this position are carried out, or all runs before it are finished. */
    public long headAcquire() {
        return memory.getLongAcquire(headOffset);
    }

    void headRelease(long head) {
        memory.putLongRelease(headOffset, head);
    }

    /** Returns the section tail of the run at {@code position}, of which {@code slots} slots have been written. */
    static long sectionTail(long position, int slots) {
        return position << 32 | slots;
    }

    /** Returns true if a section tail is that of the run at {@code position}. */
    static boolean isOfRun(long sectionTail, long position) {
        return (int) (sectionTail >>> 32) == (int) position;
    }

    /** Returns the number of written slots in a section tail. */
    static int sectionSlots(long sectionTail) {
        return (int) sectionTail;
    }

    long sectionTailAcquire() {
        return memory.getLongAcquire(offset + SECTION_TAIL_OFFSET);
    }

    void sectionTailRelease(long positionAndSlots) {
        memory.putLongRelease(offset + SECTION_TAIL_OFFSET, positionAndSlots);
    }

    /**
     * Records that the section of a pattern was written. The word of the persistent FIFO holds the number of written
     * sections in its upper half, modulo 2^32, and the index of the last pattern in the lower one. Called by the
     * application before the next round of the section is started.
     */
    void sectionChanged(int pattern) {
        final long changes = changeCount(memory.getLong(offset + SECTION_CHANGES_OFFSET)) + 1L;
        memory.putLongRelease(offset + SECTION_CHANGES_OFFSET, changes << 32 | pattern);
    }

    long sectionChangesAcquire() {
        return memory.getLongAcquire(offset + SECTION_CHANGES_OFFSET);
    }

    /** Returns the number of written sections in a word of section changes. */
    static int changeCount(long changes) {
        return (int) (changes >>> 32);
    }

    /**
     * Returns the index of the pattern whose section was written last. The application writes the word, so the caller
     * checks that a pattern has this index.
     */
    static int changedPattern(long changes) {
        return (int) changes;
    }

    /** Returns the number of descriptors, or runs, that are waiting or in service; a derived value. */
    public long fill() {
        return tailAcquire() - headAcquire();
    }

    /** Returns true while there is room for another descriptor or run; a derived value. */
    public boolean hasRoom() {
        return fill() < slots();
    }
}
