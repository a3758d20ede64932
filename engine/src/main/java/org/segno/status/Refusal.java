package org.segno.status;

import org.jspecify.annotations.Nullable;

/**
 * The reasons why an engine refuses a descriptor or a landing. Error words contain the code, and metrics count the
 * refusals of each reason.
 */
public enum Refusal {
    UNKNOWN_OPERATION(-16, "the descriptor has an operation that this engine does not support"),
    NO_SUCH_RANK(-17, "the job has no such rank"),
    NO_SUCH_CONTEXT(-18, "the target has no such context"),
    NO_SUCH_WINDOW(-19, "the source is not an open window"),
    SOURCE_OUT_OF_BOUNDS(-20, "the source range lies outside its window"),
    NO_SUCH_COUNTER(-21, "the target has no such counter"),
    COUNTER_DISABLED(-22, "the target's counter is not enabled"),
    STALE_COUNTER(-23, "the counter was closed and its id given to another use"),
    SOURCE_NOT_ADMITTED(-24, "the counter does not admit this source"),
    TARGET_OUT_OF_BOUNDS(-25, "the target range lies outside the counter's base and limit"),
    TOO_LONG(-26, "the message is longer than a quarter of its reception lane, or than its link holds"),
    BAD_LENGTH(-27, "a length is negative or larger than the operation allows"),
    PEER_DEAD(-28, "the target has died"),
    NOT_MAPPED(-29, "the target's memory is not mapped by this process"),
    BAD_FIFO(-30, "the FIFO has an invalid word"),
    BAD_LANE(-31, "the reception lane contains an invalid record"),
    PEER_LEFT(-32, "the target has left the job and answers no more"),
    LINK_MASKED(-33, "the link mask of the FIFO excludes every link to the target"),
    NOT_WRITABLE(-34, "the counter does not give the right to put"),
    NOT_READABLE(-35, "the counter does not give the right to get"),
    NOT_ATOMIC(-36, "the counter does not give the right to atomic operations"),
    MISALIGNED(-37, "the word or the result of an atomic operation is not aligned to 8 bytes"),
    UNKNOWN_FUNCTION(-38, "the atomic operation has an unknown function"),
    LINK_FAILED(-39, "the link to the target has failed"),
    FORGED_PACKET(-40, "a packet names other ranks than those that its link connects"),
    BAD_PACKET(-41, "a packet has an invalid kind, flag, length or offset in its message"),
    NOT_ASKED_FOR(-42, "a reply matches no pending request, or refuses a message that was not sent to its rank"),
    NO_HANDLER(-43, "the target has no handler of long messages for the dispatch id"),
    DECLINED(-44, "the target's handler provided no landing place for the message, or failed"),
    NO_MESSENGER(-45, "the target's context has no messenger, and both ends need one: open it before peers send"),
    UNKNOWN_CODE(-46, "the refusal has a code that this release does not define"),
    UNDERFLOW(-47, "the counter forbids underflow and was counted below zero; expect every byte before it arrives"),
    STALE_CONTEXT(-48, "the client of the target's context was closed, and the context is or will be in another use"),
    SENDERS_LEFT(-49, "all ranks that could send what a WAIT waits for have left the job, and its client was closed"),
    UNKNOWN_TYPE(-50, "the elements have an unknown type"),
    UNKNOWN_OPERATOR(-51, "the operator is unknown, or elements of this type do not have it"),
    NO_SUCH_OPERATOR(-52, "no user operator has this number; register it before the operation is carried out"),
    OPERATOR_FAILED(-53, "the user operator has thrown an exception, which the error log of the node has"),
    OVERLAPPING(-54, "two operands overlap and are not equal"),
    ROUND_FAILED(-55, "a round of the collective has failed at one of its members, which sends nothing more for it");

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

    /** Returns the code of this refusal, which is below every code of {@link Status}. */
    public int code() {
        return code;
    }

    /**
     * Returns the refusal with a code.
     *
     * @param code a code from an error word, not trusted
     * @return the refusal; {@link #UNKNOWN_CODE} for an undefined code
     */
    public static Refusal of(long code) {
        final long index = FIRST_CODE - code;
        return index >= 0 && index < VALUES.length ? VALUES[(int) index] : UNKNOWN_CODE;
    }

    /**
     * Describes the loss of a rank: its death, or the failure of the link to it.
     *
     * @param code a code from an error word, not trusted
     * @param rank the rank in that word
     * @return the description, or null if the code has another reason
     */
    public static @Nullable String loss(long code, int rank) {
        return switch (of(code)) {
            case PEER_DEAD -> "rank " + rank + " has died";
            case LINK_FAILED -> "the link to rank " + rank + " has failed";
            default -> null;
        };
    }

    /**
     * Returns the reason for a code in words. The words include the code if it is undefined.
     *
     * @param code a code from an error word, not trusted
     * @return the reason
     */
    public static String reason(long code) {
        final Refusal refusal = of(code);
        return refusal == UNKNOWN_CODE ? refusal.reason + ": " + code : refusal.reason;
    }
}
