package org.segno.demo.halo;

import java.util.concurrent.TimeUnit;
import org.segno.context.Context;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;
import org.segno.status.Status;

/** Calls of a context that retry until they succeed, even if the FIFO is full. */
public final class RetryingCalls {
    /** Limit of a wait. A dead rank is reported at once; a stopped one may be continued after a while. */
    private static final long WAIT_LIMIT_HOURS = 1;

    private RetryingCalls() {}

    /** Injects a PUT, advancing until there is room for it. */
    public static void put(
            Context context, Target target, long targetOffset, Window source, long sourceOffset, long length) {
        while (!Status.isProgress(context.put(target, targetOffset, source, sourceOffset, length))) {
            context.advance();
        }
    }

    /** Returns the deadline of a wait that begins now. */
    public static long deadlineNs() {
        return Deadline.in(WAIT_LIMIT_HOURS, TimeUnit.HOURS);
    }
}
