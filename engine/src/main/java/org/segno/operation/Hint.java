package org.segno.operation;

/** How a message is to travel where its sender knows better than the limits of its length: see {@code Messenger.send}. */
public enum Hint {
    /** As its length says. */
    NONE,

    /**
     * Never by rendezvous: it is in the target's lane, copied, as soon as there is room, and whoever sent it need not wait for the
     * receiver's handler. What is longer than the lane takes is refused.
     */
    NO_RENDEZVOUS,

    /** Always by rendezvous, unless it has no payload: copied once, straight to where the receiver wants it. */
    NO_COPY
}
