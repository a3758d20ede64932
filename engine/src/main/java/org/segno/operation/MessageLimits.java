package org.segno.operation;

import org.segno.engine.descriptor.Descriptor;

/**
 * Limits of metadata and payload together, in bytes, that select the protocol of a message. A message above both limits
 * uses rendezvous.
 *
 * @param immediateBytes limit for messages inside the descriptor, so that the payload may be overwritten at once
 * @param eagerBytes limit for messages sent as one record in the target's lane; a quarter of that lane is an additional
 *     limit
 */
public record MessageLimits(int immediateBytes, long eagerBytes) {
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
    }
}
