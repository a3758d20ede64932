package org.segno.context;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.segno.memory.Window;

/**
 * Memory of a context's loans that were made without any and cannot lie at their target: windows of its client, which
 * are opened when they are first needed, and then serve later loans. There are at most as many of a length as loans
 * that were open at a time. Used by the thread that holds the context.
 */
final class LoanWindows {
    private final Context context;
    private final List<LoanMemory> free = new ArrayList<>();
    private IntFunction<Window> source = length -> {
        throw new IllegalArgumentException("the context has no client");
    };

    LoanWindows(Context context) {
        this.context = context;
    }

    /** Sets the function that opens a window of at least the given length, or throws if there is no memory for it. */
    void from(IntFunction<Window> client) {
        source = client;
    }

    /**
     * Takes memory of at least {@code length} bytes, or returns null while a descriptor still reads it.
     *
     * @param reason why the loan cannot lie at its target, for the message if there is no memory
     */
    @Nullable
    LoanMemory take(int length, String reason) {
        boolean isRead = false;
        for (int i = 0; i < free.size(); i++) {
            final LoanMemory memory = free.get(i);
            if (memory.length() >= length) {
                if (!memory.isRead(context)) {
                    free.remove(i);
                    return memory;
                }
                isRead = true;
            }
        }
        return isRead ? null : open(length, reason);
    }

    private LoanMemory open(int length, String reason) {
        try {
            final Window window = source.apply(length);
            return new LoanMemory(window, 0, (int) Math.min(window.length(), Integer.MAX_VALUE));
        } catch (final IllegalArgumentException e) {
            throw new IllegalStateException(
                    "the loan needs " + length + " bytes of local memory, because " + reason
                            + ", and the client has none: " + e.getMessage()
                            + ", or make the loan with Context.loan(window, offset, length)",
                    e);
        }
    }

    /** Gives memory back, which the published descriptor may still read. */
    void give(LoanMemory memory) {
        free.add(memory);
    }
}
