package org.segno.operation;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.DispatchIds;
import org.segno.memory.InjectionCounter;

/**
 * Handler to notify of a PUT at its target, for {@code Context.putNotifying}. It is reusable: the call keeps no
 * reference to it after it has returned.
 */
public final class Notification {
    private int context;
    /** Dispatch id of the handler; below zero until it is set. */
    private int dispatchId = -1;

    private @Nullable InjectionCounter injectionCounter;

    /** Sets the handler to that of {@code dispatchId} at the first context of the same client. */
    public Notification at(int dispatchId) {
        return at(0, dispatchId);
    }

    /** Sets the handler to that of {@code dispatchId}, 0 to 65,534, at a context of the same client. */
    public Notification at(int context, int dispatchId) {
        DispatchIds.require(dispatchId);
        this.context = context;
        this.dispatchId = dispatchId;
        return this;
    }

    /** Sets a counter that is counted down by the bytes once they have been read, and that reports a refusal. */
    public Notification completes(InjectionCounter counter) {
        this.injectionCounter = Objects.requireNonNull(counter, "counter");
        return this;
    }

    /** Returns the number of the handler's context within the client. */
    int context() {
        if (dispatchId < 0) {
            throw new IllegalArgumentException("the notification has no handler: name it with Notification.at");
        }
        return context;
    }

    /** Returns the dispatch id of the handler. */
    int dispatchId() {
        return dispatchId;
    }

    /** Returns the counter that is counted down by the bytes read, or null. */
    public @Nullable InjectionCounter injectionCounter() {
        return injectionCounter;
    }
}
