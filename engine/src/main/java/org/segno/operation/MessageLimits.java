package org.segno.operation;

import org.segno.descriptor.Descriptor;

/**
 * Up to how many bytes of metadata and payload together a message travels how; what is longer than both goes by rendezvous.
 *
 * @param immediateBytes up to which it stands in the descriptor, so that its sender has its payload back at once
 * @param eagerBytes up to which it is one record in the target's lane; a quarter of that lane is the most in any case
 */
public record MessageLimits(int immediateBytes, long eagerBytes) {
    /** All that fits a descriptor, and all that fits the longest lane. */
    public static final MessageLimits DEFAULT = new MessageLimits(Descriptor.MAX_IMMEDIATE_LENGTH, 16 << 10);

    public MessageLimits {
        if (immediateBytes < 0 || immediateBytes > Descriptor.MAX_IMMEDIATE_LENGTH) {
            throw new IllegalArgumentException("immediateLimitBytes must be 0 to " + Descriptor.MAX_IMMEDIATE_LENGTH
                    + ", which is what a descriptor holds: immediateLimitBytes=" + immediateBytes);
        }
        if (eagerBytes < 0) {
            throw new IllegalArgumentException(
                    "eagerLimitBytes counts bytes, 0 for rendezvous always: eagerLimitBytes=" + eagerBytes);
        }
    }
}
