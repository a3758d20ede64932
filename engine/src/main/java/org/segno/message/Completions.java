package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/** Invocation of the completions of a message at its sender. */
final class Completions {
    private Completions() {}

    /** Runs the local, then the remote completion; the latter also if the former throws. */
    static void run(@Nullable Completion local, @Nullable Completion remote, @Nullable SegnoException failure) {
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
