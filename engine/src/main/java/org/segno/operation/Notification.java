package org.segno.operation;

import org.jspecify.annotations.Nullable;
import org.segno.counter.InjectionCounter;
import org.segno.dispatch.DispatchTable;

/**
 * Who hears of a PUT at its target: {@code Context.putNotifying} sends one along. Made once and used again; nothing of it is referred to
 * after the call has answered.
 */
public final class Notification {
    private int context;
    private int dispatchId;
    private @Nullable InjectionCounter injectionCounter;

    /** The handler of {@code dispatchId} at the first context of the same client. */
    public Notification at(int dispatchId) {
        return at(0, dispatchId);
    }

    /** The handler of {@code dispatchId} at a context of the same client. */
    public Notification at(int context, int dispatchId) {
        DispatchTable.requireId(dispatchId);
        this.context = context;
        this.dispatchId = dispatchId;
        return this;
    }

    /** Has a counter count the bytes down once they have been read, and hear of a refusal. */
    public Notification completes(InjectionCounter counter) {
        this.injectionCounter = counter;
        return this;
    }

    /** Of the client at the target. */
    public int context() {
        return context;
    }

    /** Of the handler. */
    public int dispatchId() {
        return dispatchId;
    }

    /** What counts the bytes that have been read, or null. */
    public @Nullable InjectionCounter injectionCounter() {
        return injectionCounter;
    }
}
