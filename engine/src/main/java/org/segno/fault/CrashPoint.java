package org.segno.fault;

import java.util.function.Consumer;

/**
 * A place in the engine at which a test can have the thread that comes there wait, or end its process. Where the property {@code
 * segno.crash-points} was not set when the JVM started, which is always but in tests, nothing of this is compiled:
 *
 * <pre>
 *     if (CrashPoint.ON) {
 *         CrashPoint.LANDING_CHECKED.reached();
 *     }
 * </pre>
 */
public enum CrashPoint {
    /** A target's counter has been checked, and nothing has been written there yet. */
    LANDING_CHECKED,

    /** A run of bytes has been written, and not been counted down yet. */
    LANDING_COPIED,

    /** Records have been written into a lane, a message's, an event's or a notice's, and not been handed over yet. */
    RECORDS_WRITTEN,

    /** A word has been changed atomically, and who asked for it does not know yet. */
    WORD_CHANGED;

    /** True if tests may install something: a constant for the compiler. */
    public static final boolean ON = Boolean.getBoolean("segno.crash-points");

    private static volatile Consumer<CrashPoint> visitor = point -> {};

    /** Has {@code next} be called, on the thread that comes there, whenever one comes to any of these places. */
    public static void install(Consumer<CrashPoint> next) {
        if (!ON) {
            throw new IllegalStateException("crash points are off: start the JVM with -Dsegno.crash-points=true");
        }
        visitor = next;
    }

    /** The calling thread is here. */
    public void reached() {
        visitor.accept(this);
    }
}
