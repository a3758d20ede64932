package org.segno.tools.journal;

import java.util.ArrayList;
import java.util.List;

/** Options of a JVM that writes journals: the queue maps files by internal methods of the JDK and sun.misc.Unsafe. */
public final class Flags {
    /** First release of the JDK that warns of sun.misc.Unsafe, unless an option allows it. */
    private static final int UNSAFE_WARNING_RELEASE = 24;

    private static final List<String> ALL = List.of(
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED");

    private static final String ALLOW_UNSAFE = "--sun-misc-unsafe-memory-access=allow";

    private Flags() {}

    /** Returns the options for a JVM of a feature release, such as 17. */
    public static List<String> of(int release) {
        final List<String> flags = new ArrayList<>(ALL);
        if (release >= UNSAFE_WARNING_RELEASE) {
            flags.add(ALLOW_UNSAFE);
        }
        return flags;
    }

    /** Returns the reason why a queue could not be created, with the remedy if an option is missing. */
    static String reason(Throwable cause) {
        final Module base = Object.class.getModule();
        final Module own = Flags.class.getModule();
        final boolean isOpen = base.isExported("sun.nio.ch", own) && base.isOpen("java.lang.reflect", own);
        if (cause instanceof Error && (!isOpen || Runtime.version().feature() >= UNSAFE_WARNING_RELEASE)) {
            return cause + "; the JVM needs the options "
                    + String.join(" ", of(Runtime.version().feature())) + ", which 'segno run --record' sets";
        }
        return cause.toString();
    }
}
