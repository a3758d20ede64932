package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/** Who hears of a message's end at its sender. */
final class Hearers {
    private Hearers() {}

    /** Tells the one whose payload it was, then the one who waits for the target, also if the first throws. */
    static void tell(@Nullable Completion local, @Nullable Completion remote, @Nullable SegnoException failure) {
        try {
            if (local != null) {
                local.onComplete(failure);
            }
        } finally {
            if (remote != null) {
                remote.onComplete(failure);
            }
        }
    }
}
