package org.segno.status;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The clock of deadlines: {@link System#nanoTime()}, or a virtual one for the threads that run a simulation. A thread
 * without one pays for the choice with one load of a word that never changes.
 */
final class DeadlineClock {
    private static final ThreadLocal<LongSupplier> VIRTUAL = new ThreadLocal<>();

    /** True once any thread has had a virtual clock. Written by that thread before it reads its own clock. */
    private static boolean mayBeVirtual;

    private DeadlineClock() {}

    static long nanoTime() {
        return mayBeVirtual ? chosen() : System.nanoTime();
    }

    private static long chosen() {
        final LongSupplier virtual = VIRTUAL.get();
        return virtual == null ? System.nanoTime() : virtual.getAsLong();
    }

    static void use(@Nullable LongSupplier virtual) {
        if (virtual == null) {
            VIRTUAL.remove();
        } else {
            mayBeVirtual = true;
            VIRTUAL.set(virtual);
        }
    }
}
