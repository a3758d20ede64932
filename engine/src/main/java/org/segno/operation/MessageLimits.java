package org.segno.operation;

import org.segno.engine.descriptor.Descriptor;

/**
 * Limits of a {@code Messenger}. Those of metadata and payload together, in bytes, select the protocol of a message:
 * one above both uses rendezvous.
 *
 * @param immediateBytes limit for messages inside the descriptor, so that the payload may be overwritten at once
 * @param eagerBytes limit for messages sent as one record in the target's lane; a quarter of that lane is an additional
 *     limit
 * @param deferredMessages number of received long messages of a context that may be deferred at a time
 */
public record MessageLimits(int immediateBytes, long eagerBytes, int deferredMessages) {
    /** Largest possible number of deferred messages of a context. */
    public static final int MAX_DEFERRED_MESSAGES = 1 << 16;

    private static final int DEFAULT_DEFERRED_MESSAGES = 64;

    /** The largest message in a descriptor, and the largest in the longest lane. */
    public static final MessageLimits DEFAULT = new MessageLimits(Descriptor.MAX_IMMEDIATE_LENGTH, 16 << 10);

    public MessageLimits {
        if (immediateBytes < 0 || immediateBytes > Descriptor.MAX_IMMEDIATE_LENGTH) {
            throw new IllegalArgumentException("withImmediateLimitBytes must be 0 to " + Descriptor.MAX_IMMEDIATE_LENGTH
                    + ", the capacity of a descriptor: immediateLimitBytes=" + immediateBytes);
        }
        if (eagerBytes < 0) {
            throw new IllegalArgumentException(
                    "withEagerLimitBytes must not be negative; use 0 to send every message by rendezvous:"
                            + " eagerLimitBytes=" + eagerBytes);
        }
        if (deferredMessages < 0 || deferredMessages > MAX_DEFERRED_MESSAGES) {
            throw new IllegalArgumentException("withDeferredMessages must be 0 to " + MAX_DEFERRED_MESSAGES
                    + "; with 0 no message is deferred: deferredMessages=" + deferredMessages);
        }
    }

    /** Creates limits with the default number of deferred messages. */
    public MessageLimits(int immediateBytes, long eagerBytes) {
        this(immediateBytes, eagerBytes, DEFAULT_DEFERRED_MESSAGES);
    }
}
