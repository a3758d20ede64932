package org.segno.dispatch;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Handlers of a context by dispatch id, and of hits by counter. One thread, the one that holds the context. */
public final class DispatchTable {
    /** Dispatch ids lie below this. */
    public static final int IDS = 1 << 16;

    /** The dispatch id of what announces long messages: kept for {@link #registerAnnouncements}. */
    public static final int ANNOUNCEMENTS = IDS - 1;

    /**
     * The dispatch id under which a context hears that a peer has no handler for another: the four bytes of the payload. What has no
     * handler of its own goes into the error log.
     */
    public static final int NO_HANDLER_THERE = IDS - 2;

    private @Nullable ActiveMessageHandler[] handlers = new ActiveMessageHandler[16];
    private @Nullable ReplyingHandler[] repliers = new ReplyingHandler[16];
    private final @Nullable CounterHandler[] counterHandlers;

    public DispatchTable(int counters) {
        counterHandlers = new CounterHandler[counters];
    }

    /** Registers a handler; another one for the same id replaces it. */
    public void register(int dispatchId, ActiveMessageHandler handler) {
        Objects.requireNonNull(handler, "handler");
        requireFree(dispatchId);
        makeRoom(dispatchId);
        handlers[dispatchId] = handler;
        repliers[dispatchId] = null;
    }

    /** As {@link #register(int, ActiveMessageHandler)}, of a handler that may send. */
    public void registerReplying(int dispatchId, ReplyingHandler handler) {
        Objects.requireNonNull(handler, "handler");
        requireFree(dispatchId);
        makeRoom(dispatchId);
        handlers[dispatchId] = null;
        repliers[dispatchId] = handler;
    }

    /** Registers what takes announcements, once. */
    public void registerAnnouncements(ReplyingHandler handler) {
        requireNoAnnouncements();
        makeRoom(ANNOUNCEMENTS);
        repliers[ANNOUNCEMENTS] = handler;
    }

    /** Checks that nothing takes announcements yet. */
    public void requireNoAnnouncements() {
        if (replier(ANNOUNCEMENTS) != null) {
            throw new IllegalStateException(
                    "the context has a messenger already, and has one alone: use that, or open it on another context");
        }
    }

    private static void requireFree(int dispatchId) {
        if (dispatchId == ANNOUNCEMENTS) {
            throw new IllegalArgumentException("dispatch id " + dispatchId
                    + " is kept for what announces long messages, which Messenger.open takes: choose a lower one");
        }
    }

    private void makeRoom(int dispatchId) {
        requireId(dispatchId);
        if (dispatchId >= handlers.length) {
            final int length = Math.min(IDS, Integer.highestOneBit(dispatchId) * 2);
            handlers = Arrays.copyOf(handlers, length);
            repliers = Arrays.copyOf(repliers, length);
        }
    }

    /** Registers what hears of a counter's hits. */
    public void register(int counter, CounterHandler handler) {
        counterHandlers[counter] = handler;
    }

    /** The handler, or null. */
    public @Nullable ActiveMessageHandler handler(int dispatchId) {
        return dispatchId < handlers.length ? handlers[dispatchId] : null;
    }

    /** The handler that may send, or null. */
    public @Nullable ReplyingHandler replier(int dispatchId) {
        return dispatchId < repliers.length ? repliers[dispatchId] : null;
    }

    /** The handler of a counter's hits, or null; the id comes from a peer and is checked here. */
    public @Nullable CounterHandler counterHandler(int counter) {
        return counter < counterHandlers.length ? counterHandlers[counter] : null;
    }

    /** Checks an id that a caller names. */
    public static void requireId(int dispatchId) {
        if (dispatchId < 0 || dispatchId >= IDS) {
            throw new IllegalArgumentException("dispatch id must be 0 to " + (IDS - 1) + ": dispatchId=" + dispatchId);
        }
    }
}
