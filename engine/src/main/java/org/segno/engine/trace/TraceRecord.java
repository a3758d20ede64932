package org.segno.engine.trace;

/**
 * Record of a {@link TraceRing}: descriptors that an engine has carried out or refused, or one round of a pattern.
 *
 * <pre>
 *  offset  length  field        meaning
 *       0       1  kind         {@link #DESCRIPTORS} to {@link #PAYLOAD}
 *       1       1  flags        {@link #REPLY} to {@link #METADATA}
 *       2       2  context      of the FIFO
 *       4       4  fifo         number of the FIFO in its context
 *       8       8  time         {@link System#nanoTime} at the end of the visit, in nanoseconds
 *      16       8  position     of the first descriptor in its FIFO or section; ROUND: time of its begin;
 *                               LOST: bytes of payloads; PAYLOAD: offset of the part in the payload;
 *                               LATE_REFUSAL: rank that refused
 *      24       8  generation   of the round, 0 outside patterns; LOST: rounds
 *      32       4  pattern      index of the pattern, -1 outside patterns
 *      36       4  count        descriptors that follow; SECTION: those of the whole section; PAYLOAD: bytes that
 *                               follow; LOST: records; LATE_REFUSAL: injection counter or -1
 *      40       4  code         REFUSED, LATE_REFUSAL: of the refusal; SECTION: id of the pattern; PAYLOAD: unused
 *      44       4  detail       SECTION: ARMs at its end; LATE_REFUSAL: operations
 *      48       8  descriptors  LOST: descriptors; PAYLOAD: position of the descriptor
 *      56          HEADER_LENGTH, followed by descriptors of 64 bytes or by bytes of a payload
 * </pre>
 *
 * <p>All access is plain: the commit of the ring publishes a record. Times and positions are 64 bits, so that they do
 * not wrap.
 */
public final class TraceRecord {
    /** Length of the fields before the descriptors, in bytes. */
    public static final int HEADER_LENGTH = 56;

    /** Descriptors that were carried out, in the order of their positions. */
    public static final int DESCRIPTORS = 1;

    /** One descriptor that was refused, with the code of the refusal. */
    public static final int REFUSED = 2;

    /** Descriptors of a section, from {@code position} on: once before the first replay after its recording. */
    public static final int SECTION = 3;

    /** One round of a pattern: it was executed completely, or abandoned. */
    public static final int ROUND = 4;

    /** An operation that a peer refused after its descriptor had been carried out. */
    public static final int LATE_REFUSAL = 5;

    /** Records that found no room since the record before. */
    public static final int LOST = 6;

    /** Bytes that a descriptor has moved, or a part of them. */
    public static final int PAYLOAD = 7;

    /** Flag: the FIFO is that of sends of handlers. */
    public static final int REPLY = 1;

    /** Flag: the round was recorded, not replayed. */
    public static final int RECORDING = 2;

    /** Flag: a WAIT of the round was refused, and the descriptors after it were not carried out. */
    public static final int ABANDONED = 4;

    /** Flag: of a replayed round whose section found no room. An earlier section of the same index is another one. */
    public static final int UNKNOWN_SECTION = 8;

    /** Flag of a payload: the bytes are metadata that lay in memory. */
    public static final int METADATA = 16;

    /** Value of {@code pattern} outside patterns. */
    public static final int NO_PATTERN = -1;

    /** Maximum number of descriptors in one record. */
    public static final int MAX_DESCRIPTORS = 1024;

    /** Maximum number of bytes of a payload in one record. A longer part, of a larger quantum, is cut. */
    public static final int MAX_PAYLOAD = 1 << 19;

    public static final int FLAGS_OFFSET = 1;
    public static final int CONTEXT_OFFSET = 2;
    public static final int FIFO_OFFSET = 4;
    public static final int TIME_OFFSET = 8;
    public static final int POSITION_OFFSET = 16;
    public static final int GENERATION_OFFSET = 24;
    public static final int PATTERN_OFFSET = 32;
    public static final int COUNT_OFFSET = 36;
    public static final int CODE_OFFSET = 40;
    public static final int DETAIL_OFFSET = 44;
    public static final int DESCRIPTORS_OFFSET = 48;

    private TraceRecord() {}
}
