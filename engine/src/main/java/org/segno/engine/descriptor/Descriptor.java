package org.segno.engine.descriptor;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.WindowTable;

/**
 * One descriptor: a unit of work for the DMA engine, viewed in its injection FIFO slot or recorded section.
 *
 * <p>All access is plain. The producer's tail store publishes the whole slot. The engine never writes to it, so that a
 * recorded section can be replayed unchanged. The words of the target come first, so that an engine detects by two
 * comparisons that a descriptor continues the run of the last one.
 *
 * <pre>
 *  offset  length  field              PUT                SEND                   COUNT, WAIT, ARM
 *       0       1  operation
 *       1       1  flags              those of the operation, below
 *       2       2  reserved           0; a descriptor with another value is refused
 *       4       4  rank               target             target                 COUNT: target
 *       8       4  target id          reception counter  2 dispatch, 2 context  counter
 *      12       4  target detail      incarnation        1 metadata, 1 payload  incarnation
 *      16       8  source offset      in the operand     in the operand         -
 *      24       4  source operand     id                 id                     -
 *      28       4  injection counter  id or -1           id or -1               id or -1
 *      32       8  target offset      from the base      24 metadata, or 32 of  amount, value
 *      40       8  operand            notify: dispatch   metadata and payload   -
 *      48       8  comparand          -                  when immediate         -
 *      56       8  length             bytes              bytes, not immediate   WAIT: bytes a round
 *      64          LENGTH
 *
 *  offset  length  field              COPY, COMBINE      RMW                    REMOTE_GET
 *       4       4  rank               -                  target                 target
 *       8       4  target id          operand            counter                counter
 *      12       4  target detail      1 type, 1 operator incarnation            incarnation
 *      16       8  source offset      in the operand     result's               landing place's
 *      24       4  source operand     id                 result window or -1    landing window or counter
 *      28       4  injection counter  id or -1           id or -1               id or -1
 *      32       8  target offset      in the operand     from the base          from the base
 *      40       8  operand            offset in third    operand                landing incarnation
 *      48       8  comparand          4 third operand    comparand              -
 *      56       8  length             bytes              1 function             bytes
 * </pre>
 *
 * <p>The table of {@link Operation#MULTICAST} is that of {@link Operation}. A context is named by its id: its number
 * and the number of its use ({@link org.segno.geometry.Endpoint}).
 *
 * <p>An <em>operand</em> is local memory, named in four bytes: a window by its id, or, if the flag for it is set, the
 * range of a reception counter of this node by {@link #operand}. With the flag after that one, the run's generation
 * modulo two is added to the counter, so that a pattern forwards or combines the data that landed in this round. Flags
 * have a meaning for each operation:
 *
 * <pre>
 *  flag  PUT                SEND, MULTICAST      REMOTE_GET          COUNT      WAIT, ARM  COPY, COMBINE
 *     1  ALTERNATE          -                    ALTERNATE           ALTERNATE  ALTERNATE  ALTERNATE target
 *     2  NOTIFY             -                    -                   -          -          TARGET_COUNTER
 *     4  IN_PLACE           IMMEDIATE            -                   -          -          COMBINE: reversed
 *     8  -                  METADATA_WINDOW      -                   -          -          COMBINE: third operand
 *    16  DEPOSIT            METADATA_COUNTER     -                   DEPOSIT    -          COMBINE: third is a counter
 *    32  -                  ALTERNATE_METADATA   -                   -          INJECTION  COMBINE: third alternates
 *    64  SOURCE_COUNTER     SOURCE_COUNTER       INTO_COUNTER        -          CUMULATIVE SOURCE_COUNTER
 *   128  ALTERNATE_SOURCE   ALTERNATE_SOURCE     ALTERNATE_LANDING   -          -          ALTERNATE_SOURCE
 * </pre>
 *
 * <p>A WAIT has the flag CUMULATIVE, and the bytes of a round as its length, or neither. An ARM with that flag is not
 * executed.
 *
 * <p>COMBINE computes {@code target = target operator source}; <em>reversed</em>, {@code target = source operator
 * target}; with a third operand, {@code target = source operator third}, which is never reversed. The operands are
 * ranges of elements of one type, and do not overlap unless they are equal. They need no alignment. The length is a
 * multiple of the element's. The rest of the target detail is zero, and zero is no code:
 *
 * <pre>
 *  type  element                            length     operator  result                           types
 *     1  byte                                    1            1  sum                              1 to 6
 *     2  short                                   2            2  product                          1 to 6
 *     3  int                                     4            3  minimum                          1 to 6
 *     4  long                                    8            4  maximum                          1 to 6
 *     5  float                                   4            5  logical and: 1 or 0              1 to 4
 *     6  double                                  8            6  logical or: 1 or 0               1 to 4
 *    17  byte and index at 4                     8            7  logical exclusive or: 1 or 0     1 to 4
 *    18  short and index at 4                    8            8  bitwise and                      1 to 4
 *    19  int and index at 4                      8            9  bitwise or                       1 to 4
 *    20  long and index at 8                    16           10  bitwise exclusive or             1 to 4
 *    21  float and index at 4                    8           11  pair with the smaller value      17 to 22
 *    22  double and index at 8                  16           12  pair with the larger value       17 to 22
 * </pre>
 *
 * <p>Operators from {@link #FIRST_USER_OPERATOR} on are those that applications register by number, of any type. A pair
 * has the type of its value plus 16, and an {@code int} as index. Of pairs with equal values the result is the one with
 * the smaller index. Integers are signed and wrap around. If one of two floating-point
 * numbers is NaN, their minimum and their maximum are NaN. If the value of one of two pairs is NaN, the result is that
 * pair, for minimum and maximum. The number -0.0 is less than 0.0.
 */
public final class Descriptor {
    public static final int LENGTH = 64;

    public static final int OPERATION_OFFSET = 0;
    public static final int FLAGS_OFFSET = 1;
    public static final int RESERVED_OFFSET = 2;
    public static final int RANK_OFFSET = 4;
    public static final int TARGET_OFFSET = 8;
    public static final int CONTEXT_OFFSET = 10;
    public static final int DETAIL_OFFSET = 12;
    public static final int IMMEDIATE_LENGTH_OFFSET = 13;
    public static final int TARGETS_OFFSET = 13;
    public static final int SOURCE_OFFSET_OFFSET = 16;
    public static final int SOURCE_OPERAND_OFFSET = 24;
    public static final int INJECTION_COUNTER_OFFSET = 28;
    public static final int TARGET_OFFSET_OFFSET = 32;
    public static final int INLINE_OFFSET = 32;
    public static final int METADATA_OFFSET_OFFSET = 32;
    public static final int METADATA_OPERAND_OFFSET = 40;
    public static final int OPERAND_OFFSET = 40;
    public static final int MULTICAST_LENGTH_OFFSET = 44;
    public static final int COMPARAND_OFFSET = 48;
    public static final int FURTHER_TARGETS_OFFSET = 48;
    public static final int LENGTH_OFFSET = 56;

    /** Maximum length of the metadata of a SEND by value in bytes. */
    public static final int MAX_INLINE_METADATA_LENGTH = 24;

    /** Maximum length of the metadata of any message in bytes. Longer ones than by value are read from memory. */
    public static final int MAX_METADATA_LENGTH = 128;

    /** Maximum length of metadata and payload together of an immediate SEND in bytes. */
    public static final int MAX_IMMEDIATE_LENGTH = 32;

    /** Maximum number of targets of one MULTICAST. */
    public static final int MAX_TARGETS = 5;

    /** Flag: the run's generation modulo two is added to the id of the target's counter. */
    public static final int ALTERNATE = 1;

    /** Flag of COPY and COMBINE: the target is the range of a counter, not a window. */
    public static final int TARGET_COUNTER = 2;

    /** Flag of PUT: a record in the target context's lane follows the last byte. */
    public static final int NOTIFY = 2;

    /** Flag of PUT: the application has written the bytes to their target, and there is no source. */
    public static final int IN_PLACE = 4;

    /** Flag of SEND: the descriptor contains metadata and payload. */
    public static final int IMMEDIATE = 4;

    /** Flag of COMBINE without a third operand: the source is on the left of the operator. */
    public static final int REVERSED = 4;

    /** Flag of COMBINE: the target is not read, and a third operand is on the right of the operator. */
    public static final int THIRD = 8;

    /** Flag of COMBINE with {@link #THIRD}: that operand is the range of a counter, not a window. */
    public static final int THIRD_COUNTER = 16;

    /** Flag of COMBINE with {@link #THIRD}: the run's generation modulo two is added to the id of that counter. */
    public static final int ALTERNATE_THIRD = 32;

    /**
     * Flag of SEND, and of every MULTICAST: metadata are read from an operand at every replay. Their place in the
     * descriptor has their offset (8 bytes) and the operand (4 bytes).
     */
    public static final int METADATA_WINDOW = 8;

    /** Flag of SEND and MULTICAST with {@link #METADATA_WINDOW}: that operand is the range of a counter. */
    public static final int METADATA_COUNTER = 16;

    /** Flag of SEND and MULTICAST: the run's generation modulo two is added to the id of that counter. */
    public static final int ALTERNATE_METADATA = 32;

    /** Flag of PUT and COUNT: every node along a line of the torus gets a copy. */
    public static final int DEPOSIT = 16;

    /** Flag of ARM and WAIT: the id is that of an injection counter. */
    public static final int INJECTION = 32;

    /**
     * Flag of REMOTE_GET: the data land at a reception counter of the origin, which they count down, instead of a
     * window.
     */
    public static final int INTO_COUNTER = 64;

    /** Flag of REMOTE_GET: the run's generation modulo two is added to the id of that counter. */
    public static final int ALTERNATE_LANDING = 128;

    /** Flag of PUT, SEND, MULTICAST, COPY and COMBINE: the source is the range of a counter, not a window. */
    public static final int SOURCE_COUNTER = 64;

    /** Flag of these operations: the run's generation modulo two is added to the id of that counter. */
    public static final int ALTERNATE_SOURCE = 128;

    /**
     * Flag of WAIT with {@link #ALTERNATE}: the counter is never armed, so each round counts it further down by the
     * bytes in the length word. {@link #cumulativeLimit} returns the value at which the WAIT of a round ends. Flag of
     * ARM with {@link #ALTERNATE}: the application compares the counter with such values. It follows the descriptors
     * that the engine executes.
     */
    public static final int CUMULATIVE = 64;

    /** Id of no window: the result of an RMW is discarded, or a PUT has no source. */
    public static final int NO_WINDOW = -1;

    /** Id of no injection counter. */
    public static final int NO_COUNTER = -1;

    /** Operator of a COMBINE that is the user operator of number 0. */
    public static final int FIRST_USER_OPERATOR = 128;

    /** Bits of a counter's incarnation that an operand has. */
    private static final int OPERAND_INCARNATION = (1 << 15) - 1;

    /** Bits of the rank in a head and in a destination. */
    private static final long RANK_BITS = 0xFFFF_FFFF_0000_0000L;

    /** Bits of the context in the target word of a message, in a notice and in a destination. */
    private static final long CONTEXT_BITS = 0xFFFF_0000L;

    /** Bits of the immediate length, or of the number of targets, in the target word of a message. */
    private static final long DETAIL_BITS = 0xFF00_0000_0000L;

    /**
     * Returns the first word of a descriptor.
     *
     * @param operation operation from {@link Operation}
     * @param flags flags of this class
     * @param rank target
     * @return operation, flags, zero in the reserved field, rank
     */
    public static long head(int operation, int flags, int rank) {
        return (operation & 0xFFL) | (flags & 0xFFL) << 8 | (long) rank << 32;
    }

    /** Returns a head with further flags set. */
    public static long withFlags(long head, int flags) {
        return head | (flags & 0xFFL) << 8;
    }

    /** Returns operation and flags of a head. */
    public static long withoutRank(long head) {
        return head & ~RANK_BITS;
    }

    /** Returns the operation in a head. */
    public static int operation(long head) {
        return (int) head & 0xFF;
    }

    /** Returns true if a head has the flag. */
    public static boolean has(long head, int flag) {
        return (((int) head >>> 8) & flag) != 0;
    }

    /** Returns true if a head has no flag except those in {@code allowed}, and zero in its reserved field. */
    public static boolean hasOnly(long head, int allowed) {
        return (((int) head >>> 8) & ~allowed) == 0;
    }

    /** Returns true if a head has these flags and no other, and zero in its reserved field. */
    public static boolean hasExactly(long head, int flags) {
        return (int) head >>> 8 == flags;
    }

    /** Returns 1 if a head has the flag {@link #ALTERNATE}, otherwise 0. */
    public static int alternate(long head) {
        return ((int) head >>> 8) & ALTERNATE;
    }

    /** Returns the reserved field of a head, which must be zero. */
    public static int reserved(long head) {
        return (int) head >>> 16;
    }

    /** Returns the target rank in a head, or the rank in a {@link #destination(long, long)}. */
    public static int rank(long head) {
        return (int) (head >>> 32);
    }

    /** Returns the target word of PUT, REMOTE_GET, RMW, COUNT, WAIT and ARM. */
    public static long counterTarget(int counter, int incarnation) {
        return pair(counter, incarnation);
    }

    /** Returns the counter in a target word. */
    public static int counter(long target) {
        return (int) target;
    }

    /** Returns the incarnation of the counter in a target word. */
    public static int incarnation(long target) {
        return (int) (target >>> 32);
    }

    /** Returns the target word of COPY: the target operand. {@link #window} decodes it. */
    public static long operandTarget(int operand) {
        return pair(operand, 0);
    }

    /** Returns the target word of a COMBINE: the target operand, the type and the operator. */
    public static long combineTarget(int operand, int type, int operator) {
        return pair(operand, (type & 0xFF) | (operator & 0xFF) << 8);
    }

    /** Returns the target word of a COMBINE with another operand. */
    public static long withOperand(long target, int operand) {
        return pair(operand, (int) (target >>> 32));
    }

    /** Returns the code of the type of elements in the target word of COMBINE. */
    public static int elementType(long target) {
        return (int) (target >>> 32) & 0xFF;
    }

    /** Returns the code of the operator in the target word of COMBINE, with the bits beside it, which must be zero. */
    public static int operator(long target) {
        return (int) (target >>> 40);
    }

    /** Returns true if an operator is one that an application registers. */
    public static boolean isUserOperator(int operator) {
        return operator >= FIRST_USER_OPERATOR && operator <= 0xFF;
    }

    /** Returns the value at which a WAIT ends in a round of its pattern, from its value and its bytes of a round. */
    public static long cumulativeLimit(long value, long bytes, long generation) {
        return value - bytes * ((generation + 1) >> 1);
    }

    /**
     * Returns the operand that names the range of a reception counter: the counter and the low bits of its
     * incarnation, in the form of a window's id.
     */
    public static int operand(int counter, int incarnation) {
        return WindowTable.idOf(counter, incarnation & OPERAND_INCARNATION);
    }

    /** Returns the counter that an operand names. */
    public static int operandCounter(int operand) {
        return WindowTable.entryOf(operand);
    }

    /** Returns true if an operand names a counter in its use with this incarnation. */
    public static boolean isOperandOf(int operand, int incarnation) {
        return WindowTable.incarnationOf(operand) == (incarnation & OPERAND_INCARNATION);
    }

    /**
     * Returns the target word of SEND and MULTICAST.
     *
     * @param dispatchId handler
     * @param context id of the target's context, of a MULTICAST that of the first one
     * @param metadataLength bytes of metadata
     * @param detail bytes of an immediate payload, number of targets of a MULTICAST, otherwise zero
     */
    public static long messageTarget(int dispatchId, int context, int metadataLength, int detail) {
        return (dispatchId & 0xFFFFL)
                | (context & 0xFFFFL) << 16
                | (metadataLength & 0xFFL) << 32
                | (detail & 0xFFL) << 40;
    }

    /** Returns the dispatch id in the target word of a message, or in a {@link #notice}. */
    public static int dispatchId(long target) {
        return (int) target & 0xFFFF;
    }

    /** Returns the id of the context in the target word of a message, in a {@link #notice} or in a destination. */
    public static int context(long target) {
        return (int) target >>> 16;
    }

    /** Returns the target word of a message with another context. */
    public static long withContext(long target, int context) {
        return (target & ~CONTEXT_BITS) | (context & 0xFFFFL) << 16;
    }

    /** Returns the length of the metadata in the target word of a message. */
    public static int metadataLength(long target) {
        return (int) (target >>> 32) & 0xFF;
    }

    /** Returns the length of the payload in the target word of an immediate message. */
    public static int immediateLength(long target) {
        return (int) (target >>> 40) & 0xFF;
    }

    /** Returns the number of targets in the target word of a MULTICAST. */
    public static int targets(long target) {
        return (int) (target >>> 40) & 0xFF;
    }

    /**
     * Returns the target word of a MULTICAST without the first context and the number of targets, in which the
     * descriptors of one message differ.
     */
    public static long withoutTargets(long target) {
        return target & ~(CONTEXT_BITS | DETAIL_BITS);
    }

    /** Returns the operand of a PUT that notifies, to a handler of the context with this id. */
    public static long notice(int dispatchId, int context) {
        return (dispatchId & 0xFFFFL) | (context & 0xFFFFL) << 16;
    }

    /** Returns the word of a target of a MULTICAST other than the first. */
    public static int furtherTarget(int rank, int context) {
        return (rank & 0xFFFF) | context << 16;
    }

    /** Returns the word of a MULTICAST's target other than the first, from the words of a descriptor at {@code at}. */
    public static int furtherTarget(long[] words, int at, int target) {
        final long place = further(target);
        return (int) (words[at + (int) (place / Long.BYTES)] >>> shift(place));
    }

    /** Replaces the word that {@link #furtherTarget(long[], int, int)} returns. */
    public static void putFurtherTarget(long[] words, int at, int target, int further) {
        final long place = further(target);
        final int word = at + (int) (place / Long.BYTES);
        final long others = words[word] & ~(0xFFFF_FFFFL << shift(place));
        words[word] = others | (further & 0xFFFF_FFFFL) << shift(place);
    }

    private static int shift(long place) {
        return (int) (place % Long.BYTES) * Byte.SIZE;
    }

    /** Returns the rank in the word of a target of a MULTICAST other than the first. */
    public static int furtherRank(int further) {
        return further & 0xFFFF;
    }

    /** Returns the id of the context in the word of a target of a MULTICAST other than the first. */
    public static int furtherContext(int further) {
        return further >>> 16;
    }

    /**
     * Returns the rank and the context's id of a message's first target as one number, from its head and its target
     * word. {@link #rank(long)} and {@link #context(long)} decode it.
     */
    public static long destination(long head, long target) {
        return (head & RANK_BITS) | (target & CONTEXT_BITS);
    }

    /** Returns the rank and the context of a MULTICAST's other target as one number. */
    public static long destination(int further) {
        return (further & 0xFFFFL) << 32 | (further & CONTEXT_BITS);
    }

    /**
     * Returns the source word: the operand, of a REMOTE_GET the window or the counter in which data land, and the
     * injection counter.
     */
    public static long source(int window, int injectionCounter) {
        return pair(window, injectionCounter);
    }

    /**
     * Returns the window or operand in a source word, in the target word of COPY and COMBINE, or in a {@link #metadata}
     * word.
     */
    public static int window(long source) {
        return (int) source;
    }

    /** Returns the counter in the source word of a REMOTE_GET with {@link #INTO_COUNTER}. */
    public static int landingCounter(long source) {
        return (int) source;
    }

    /** Returns the incarnation of that counter in the operand of the REMOTE_GET. */
    public static int landingIncarnation(long operand) {
        return (int) operand;
    }

    /** Returns the injection counter in a source word. */
    public static int injectionCounter(long source) {
        return (int) (source >>> 32);
    }

    /** Returns the word of a message with its metadata window and, of a MULTICAST, the length of the payload. */
    public static long metadata(int window, int payloadLength) {
        return pair(window, payloadLength);
    }

    /** Returns the length of the payload in the metadata word of a MULTICAST. */
    public static int payloadLength(long metadata) {
        return (int) (metadata >>> 32);
    }

    private static long pair(int first, int second) {
        return (first & 0xFFFF_FFFFL) | (long) second << 32;
    }

    private final Memory memory;
    private long offset;

    /** Creates a view of descriptors in {@code memory}, which must be wrapped before use. */
    public Descriptor(Memory memory) {
        this.memory = memory;
    }

    public Descriptor wrap(long offset) {
        this.offset = offset;
        return this;
    }

    public int operation() {
        return memory.getByte(offset + OPERATION_OFFSET);
    }

    public int flags() {
        return memory.getByte(offset + FLAGS_OFFSET) & 0xFF;
    }

    /** Returns true if the descriptor has the flag. */
    public boolean has(int flag) {
        return (flags() & flag) != 0;
    }

    /** Returns true for a SEND that contains its metadata and its payload. */
    public boolean isImmediate() {
        return operation() == Operation.SEND && has(IMMEDIATE);
    }

    /** Returns the reserved field, which must be zero. */
    public int reserved() {
        return memory.getShort(offset + RESERVED_OFFSET) & 0xFFFF;
    }

    /** Returns the rank of the first target. */
    public int rank() {
        return memory.getInt(offset + RANK_OFFSET);
    }

    /** Returns the reception counter of PUT, COUNT, ARM, RMW or REMOTE_GET; the target operand of COPY and COMBINE. */
    public int target() {
        return memory.getInt(offset + TARGET_OFFSET);
    }

    public int dispatchId() {
        return memory.getShort(offset + TARGET_OFFSET) & 0xFFFF;
    }

    /** Returns the id of the first target's context. */
    public int context() {
        return memory.getShort(offset + CONTEXT_OFFSET) & 0xFFFF;
    }

    /** Returns the number of targets of a MULTICAST. */
    public int targets() {
        return memory.getByte(offset + TARGETS_OFFSET) & 0xFF;
    }

    /** Returns the rank of a MULTICAST's target, by its number from 0. */
    public int targetRank(int target) {
        return target == 0 ? rank() : furtherRank(memory.getInt(offset + further(target)));
    }

    /** Returns the target rank, or the ranks of a MULTICAST, as text. It is for messages, because it allocates. */
    public String ranks() {
        if (operation() != Operation.MULTICAST || targets() <= 1) {
            return "rank " + rank();
        }
        return "ranks "
                + IntStream.range(0, Math.min(targets(), MAX_TARGETS))
                        .mapToObj(target -> Integer.toString(targetRank(target)))
                        .collect(Collectors.joining(", "));
    }

    /** Returns the id of the context of a MULTICAST's target, by its number from 0. */
    public int targetContext(int target) {
        return target == 0 ? context() : furtherContext(memory.getInt(offset + further(target)));
    }

    /** Returns the offset in the descriptor of a MULTICAST's target other than the first. */
    public static long further(int target) {
        return FURTHER_TARGETS_OFFSET + (target - 1L) * Integer.BYTES;
    }

    public int incarnation() {
        return memory.getInt(offset + DETAIL_OFFSET);
    }

    public int metadataLength() {
        return memory.getByte(offset + DETAIL_OFFSET) & 0xFF;
    }

    public int immediateLength() {
        return memory.getByte(offset + IMMEDIATE_LENGTH_OFFSET) & 0xFF;
    }

    public long sourceOffset() {
        return memory.getLong(offset + SOURCE_OFFSET_OFFSET);
    }

    public int sourceOperand() {
        return memory.getInt(offset + SOURCE_OPERAND_OFFSET);
    }

    /** Returns the metadata window of a SEND with {@link #METADATA_WINDOW}. */
    public int metadataOperand() {
        return memory.getInt(offset + METADATA_OPERAND_OFFSET);
    }

    /** Returns the offset of metadata in {@link #metadataOperand}. */
    public long metadataOffset() {
        return memory.getLong(offset + METADATA_OFFSET_OFFSET);
    }

    /** Returns the third operand of a COMBINE with {@link #THIRD}. */
    public int thirdOperand() {
        return memory.getInt(offset + COMPARAND_OFFSET);
    }

    /** Returns the offset of the elements in {@link #thirdOperand}. */
    public long thirdOffset() {
        return memory.getLong(offset + OPERAND_OFFSET);
    }

    public int injectionCounter() {
        return memory.getInt(offset + INJECTION_COUNTER_OFFSET);
    }

    /** Returns the offset from the counter's base, or in the target window. */
    public long targetOffset() {
        return memory.getLong(offset + TARGET_OFFSET_OFFSET);
    }

    /** Returns the amount of COUNT and ARM, or the value of WAIT. */
    public long amount() {
        return memory.getLong(offset + TARGET_OFFSET_OFFSET);
    }

    public long length() {
        if (operation() == Operation.MULTICAST) {
            return memory.getInt(offset + MULTICAST_LENGTH_OFFSET);
        }
        return memory.getLong(offset + LENGTH_OFFSET);
    }

    @Override
    public String toString() {
        if (operation() == Operation.WAIT) {
            return "WAIT for " + counter() + " at or below " + amount();
        }
        return Operation.name(operation()) + (operation() == Operation.COMBINE ? combination() : " to " + ranks())
                + " target " + target() + " offset " + targetOffset() + source() + " length " + length();
    }

    /** Returns the counter of a WAIT as text. */
    private String counter() {
        final String kind =
                has(INJECTION) ? "injection counter " : has(ALTERNATE) ? "counter pair " : "reception counter ";
        return kind + target();
    }

    /** Returns type and operator of a COMBINE, and its third operand, as text. */
    private String combination() {
        final long word = memory.getLong(offset + TARGET_OFFSET);
        return " of type " + elementType(word) + " by operator " + operator(word)
                + (has(THIRD) ? " with third " + thirdOperand() + " offset " + thirdOffset() : "");
    }

    private String source() {
        final int operand = sourceOperand();
        if (operation() == Operation.PUT && has(IN_PLACE)) {
            return " in place";
        }
        final String place = isSourceCounter()
                ? (has(ALTERNATE_SOURCE) ? "counter pair " : "counter ") + operandCounter(operand)
                : "window " + operand;
        return " from " + place + " offset " + sourceOffset();
    }

    /** Returns true if the source is the range of a counter. */
    public boolean isSourceCounter() {
        return hasSource(operation()) && has(SOURCE_COUNTER);
    }

    /** Returns true if descriptors of an operation have a source operand that may be the range of a counter. */
    public static boolean hasSource(int operation) {
        return operation == Operation.PUT
                || operation == Operation.SEND
                || operation == Operation.MULTICAST
                || operation == Operation.COPY
                || operation == Operation.COMBINE;
    }
}
