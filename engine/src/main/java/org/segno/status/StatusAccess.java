package org.segno.status;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Functions of this package's types for the engine's own packages; not for applications. */
public final class StatusAccess {
    private StatusAccess() {}

    /**
     * Sets the clock of the deadlines of this thread.
     *
     * @param virtual returns the time in nanoseconds; null for {@link System#nanoTime()}
     */
    public static void useClock(@Nullable LongSupplier virtual) {
        DeadlineClock.use(virtual);
    }
}
