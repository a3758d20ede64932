package org.segno.context;

import org.jspecify.annotations.Nullable;
import org.segno.memory.InjectionCounter;
import org.segno.operation.Notification;

/** Kind of memory in which an open loan lies, with the end that follows from it. Used by the context's thread. */
interface LoanPlace {
    /**
     * Publishes an open loan. Returns its position, or {@link org.segno.status.Status#BACK_PRESSURED}, with which it
     * remains open.
     *
     * @param counter counted down by the bytes, if given
     * @param notification handler to notify at the target, if given
     */
    long publish(Loan loan, @Nullable InjectionCounter counter, @Nullable Notification notification);

    /** Gives up the memory of a loan, which nobody has been notified of. */
    void abandon(Loan loan);

    /** Returns true for records, false for ranges. */
    default boolean isRecord() {
        return false;
    }

    /** Describes where an open loan lies, for messages. */
    String describe(Loan loan);
}
