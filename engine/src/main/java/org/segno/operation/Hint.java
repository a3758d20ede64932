package org.segno.operation;

/** Transport of a message, for senders with better information than its length provides; see {@code Messenger.send}. */
public enum Hint {
    /** Transport by length. */
    NONE,

    /**
     * Transport without rendezvous. The message is copied into the target's lane as soon as there is room, and its
     * sender does not depend on the receiver's handler. A message that is too long for the lane is refused.
     */
    NO_RENDEZVOUS,

    /**
     * Transport by rendezvous, unless the message has no payload. The payload is copied once, directly to the location
     * that the receiver chooses.
     */
    NO_COPY
}
