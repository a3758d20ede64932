package org.segno.status;

/**
 * Why an engine refused a descriptor or a landing. The code is what stands in error words and is counted in metrics.
 */
public enum Refusal {
    UNKNOWN_OPERATION(-16, "the descriptor has an operation that this engine does not carry out"),
    NO_SUCH_RANK(-17, "the job has no such rank"),
    NO_SUCH_CONTEXT(-18, "the target has no such context"),
    NO_SUCH_WINDOW(-19, "the source is no open window"),
    SOURCE_OUT_OF_BOUNDS(-20, "the source range lies outside its window"),
    NO_SUCH_COUNTER(-21, "the target has no such counter"),
    COUNTER_DISABLED(-22, "the target's counter is not enabled"),
    STALE_COUNTER(-23, "the counter was closed and its id given to another use"),
    SOURCE_NOT_ADMITTED(-24, "the counter does not admit this source"),
    TARGET_OUT_OF_BOUNDS(-25, "the target range lies outside the counter's base and limit"),
    TOO_LONG(-26, "the message is longer than a quarter of its reception lane"),
    BAD_LENGTH(-27, "a length is negative or larger than the operation allows"),
    PEER_DEAD(-28, "the target has died"),
    NOT_MAPPED(-29, "the target's memory is not mapped by this process"),
    BAD_FIFO(-30, "the FIFO's words are impossible"),
    BAD_LANE(-31, "the reception lane holds an impossible record"),
    PEER_LEFT(-32, "the target has left the job and reads no more"),
    LINK_MASKED(-33, "the link mask of the FIFO excludes every link to the target"),
    NOT_WRITABLE(-34, "the counter does not give the right to put"),
    NOT_READABLE(-35, "the counter does not give the right to get"),
    NOT_ATOMIC(-36, "the counter does not give the right to atomic operations"),
    MISALIGNED(-37, "an atomic operation's word or result does not lie at a multiple of 8 bytes"),
    UNKNOWN_FUNCTION(-38, "the atomic operation has a function that there is not"),
    LINK_FAILED(-39, "the link to the target has failed"),
    FORGED_PACKET(-40, "a packet names other ranks than those that its link joins"),
    BAD_PACKET(-41, "a packet has an impossible kind, channel, length or place in its message"),
    NOT_ASKED_FOR(-42, "a reply answers no request that stands, or was sent where no message went"),
    NO_HANDLER(-43, "no handler of long messages is registered there for the dispatch id"),
    DECLINED(-44, "the handler named no place where the message could land, or failed"),
    NO_MESSENGER(-45, "the context there has no messenger, and both ends need one: open it before peers send"),
    UNKNOWN_CODE(-46, "the refusal has a code that this release does not define");

    private static final Refusal[] VALUES = values();

    private static final int FIRST_CODE = -16;

    private final int code;
    private final String reason;

    Refusal(int code, String reason) {
        this.code = code;
        this.reason = reason;
    }

    /** Returns the reason in words. */
    public String reason() {
        return reason;
    }

    /** The code of this refusal: below every answer of {@link Status}. */
    public int code() {
        return code;
    }

    /**
     * Finds a refusal by its code.
     *
     * @param code from an error word, not trusted
     * @return the refusal; {@link #UNKNOWN_CODE} for a code that is none
     */
    public static Refusal of(long code) {
        final long index = FIRST_CODE - code;
        return index >= 0 && index < VALUES.length ? VALUES[(int) index] : UNKNOWN_CODE;
    }

    /**
     * Returns the reason for a code in words, which contain the code where it is none of these.
     *
     * @param code from an error word, not trusted
     * @return the reason
     */
    public static String reason(long code) {
        final Refusal refusal = of(code);
        return refusal == UNKNOWN_CODE ? refusal.reason + ": " + code : refusal.reason;
    }
}
