package org.segno.engine.dispatch;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.DispatchIds;
import org.segno.operation.ActiveMessageHandler;
import org.segno.operation.CounterHandler;
import org.segno.operation.ReplyingHandler;

/**
 * Table of a context's handlers by dispatch id, and of its handlers of hits by counter. Used only by the thread that
 * holds the context.
 */
public final class DispatchTable {
    /** Dispatch id of the announcements of long messages, reserved for {@link #registerAnnouncements}. */
    public static final int ANNOUNCEMENTS = DispatchIds.RESERVED;

    /**
     * Dispatch id of the notification that a peer has no handler for another id. The payload is that id, four bytes.
     * Without a handler for this id, the notification goes to the error log.
     */
    public static final int NO_HANDLER_THERE = DispatchIds.COUNT - 2;

    private @Nullable ActiveMessageHandler[] handlers = new ActiveMessageHandler[16];
    private @Nullable ReplyingHandler[] repliers = new ReplyingHandler[16];
    private final @Nullable CounterHandler[] counterHandlers;

    /** Handler of announcements, beside the arrays: its id, the highest one, would give them half a megabyte. */
    private @Nullable ReplyingHandler announcements;

    public DispatchTable(int counters) {
        counterHandlers = new CounterHandler[counters];
    }

    /** Registers a handler. A later handler for the same id replaces it. */
    public void register(int dispatchId, ActiveMessageHandler handler) {
        Objects.requireNonNull(handler, "handler");
        DispatchIds.require(dispatchId);
        makeRoom(dispatchId);
        handlers[dispatchId] = handler;
        repliers[dispatchId] = null;
    }

    /**
     * Registers a handler that may send, as {@link #register(int, ActiveMessageHandler)} does for one that does not.
     */
    public void registerReplying(int dispatchId, ReplyingHandler handler) {
        Objects.requireNonNull(handler, "handler");
        DispatchIds.require(dispatchId);
        makeRoom(dispatchId);
        handlers[dispatchId] = null;
        repliers[dispatchId] = handler;
    }

    /** Registers the handler of announcements, once. */
    public void registerAnnouncements(ReplyingHandler handler) {
        requireNoAnnouncements();
        announcements = handler;
    }

    /** Checks that no handler of announcements is registered yet. */
    public void requireNoAnnouncements() {
        if (announcements != null) {
            throw new IllegalStateException(
                    "the context has a messenger already, its only one; use that, or open one on another context");
        }
    }

    private void makeRoom(int dispatchId) {
        if (dispatchId >= handlers.length) {
            // Never as long as for the id of announcements, which have a handler of their own.
            final int length = Math.min(DispatchIds.RESERVED, Integer.highestOneBit(dispatchId) * 2);
            handlers = Arrays.copyOf(handlers, length);
            repliers = Arrays.copyOf(repliers, length);
        }
    }

    /** Registers the handler of a counter's hits. */
    public void register(int counter, CounterHandler handler) {
        counterHandlers[counter] = handler;
    }

    /** Returns the handler, or null. */
    public @Nullable ActiveMessageHandler handler(int dispatchId) {
        return dispatchId < handlers.length ? handlers[dispatchId] : null;
    }

    /** Returns the handler that may send, or null. */
    public @Nullable ReplyingHandler replier(int dispatchId) {
        if (dispatchId < repliers.length) {
            return repliers[dispatchId];
        }
        return dispatchId == ANNOUNCEMENTS ? announcements : null;
    }

    /** Returns the handler of a counter's hits, or null. The id comes from a peer and is validated here. */
    public @Nullable CounterHandler counterHandler(int counter) {
        return counter < counterHandlers.length ? counterHandlers[counter] : null;
    }
}
