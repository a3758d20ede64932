package org.segno.engine.fault;

import java.util.function.Consumer;

/**
 * A place in the engine at which a test can make the thread wait or end its process. If the property
 * {@code segno.crash-points} was not set when the JVM started, as always except in tests, none of this is compiled:
 *
 * <pre>
 *     if (CrashPoint.ON) {
 *         CrashPoint.LANDING_CHECKED.reached();
 *     }
 * </pre>
 */
public enum CrashPoint {
    /** After a target's counter was checked, before anything is written there. */
    LANDING_CHECKED,

    /** After a run of bytes was written, before it is counted down. */
    LANDING_COPIED,

    /** After records of a message, an event or a notice were written to a lane, before they are published. */
    RECORDS_WRITTEN,

    /** After a word was changed atomically, before its requester is notified. */
    WORD_CHANGED;

    /** True if tests may install a visitor. It is a constant for the compiler. */
    public static final boolean ON = Boolean.getBoolean("segno.crash-points");

    private static volatile Consumer<CrashPoint> visitor = point -> {};

    /** Installs a visitor, which is called on every thread that reaches any of these places. */
    public static void install(Consumer<CrashPoint> next) {
        if (!ON) {
            throw new IllegalStateException("crash points are off: start the JVM with -Dsegno.crash-points=true");
        }
        visitor = next;
    }

    /** Calls the visitor on the calling thread, which has reached this place. */
    public void reached() {
        visitor.accept(this);
    }
}
