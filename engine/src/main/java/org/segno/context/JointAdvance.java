package org.segno.context;

import org.agrona.LangUtil;
import org.jspecify.annotations.Nullable;

/** Exceptions of contexts that one call advances together: none is lost, and none ends the passes of the others. */
final class JointAdvance {
    private JointAdvance() {}

    /** Returns the first exception, to which a later one is added as suppressed. */
    static Throwable first(@Nullable Throwable first, Throwable later) {
        if (first == null) {
            return later;
        }
        // Two contexts may throw one exception, for instance a constant of the application.
        if (first != later) {
            first.addSuppressed(later);
        }
        return first;
    }

    /** Throws an exception or error again, a checked one of another language as well. */
    static int rethrow(Throwable thrown) {
        LangUtil.rethrowUnchecked(thrown);
        return 0;
    }
}
