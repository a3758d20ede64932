package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/**
 * The two completions of a one-sided call of a {@link Messenger}. It is reusable: a call keeps the completions, but no
 * reference to this object.
 *
 * <p>At <em>local</em> completion the source may be overwritten, or the requested bytes have arrived. At
 * <em>remote</em> completion the bytes are in the memory of the other rank, or were read there. Over mapped memory both
 * happen at the same time; then the local completion runs first.
 */
public final class Completions {
    private @Nullable Completion local;
    private @Nullable Completion remote;

    /** Sets the local completion; null for none. */
    public Completions local(@Nullable Completion completion) {
        local = completion;
        return this;
    }

    /** Sets the remote completion; null for none. */
    public Completions remote(@Nullable Completion completion) {
        remote = completion;
        return this;
    }

    @Nullable
    Completion local() {
        return local;
    }

    @Nullable
    Completion remote() {
        return remote;
    }

    /** Runs the local, then the remote completion; the latter also if the former throws. */
    static void run(@Nullable Completion local, @Nullable Completion remote, @Nullable SegnoException failure) {
        try {
            if (local != null) {
                local.onComplete(failure);
            }
        } catch (final Throwable first) {
            try {
                complete(remote, failure);
            } catch (final Throwable second) {
                first.addSuppressed(second);
            }
            throw first;
        }
        complete(remote, failure);
    }

    private static void complete(@Nullable Completion remote, @Nullable SegnoException failure) {
        if (remote != null) {
            remote.onComplete(failure);
        }
    }
}
