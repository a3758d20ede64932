package org.segno.transport.aeron;

/** Reasons for which an end of a link drops a datagram, before anything of it has an effect. */
public enum DatagramRefusal {
    /** It is shorter or longer than a datagram of its type. */
    LENGTH,
    /** It has a type that links do not use. */
    TYPE,
    /** It names a session or a stream that this end does not have. */
    SESSION,
    /** It comes from another address than the peer's. */
    ADDRESS,
    /** It sets up a stream otherwise than the peer does. */
    SETUP,
    /** It belongs to a stream that is not set up. */
    STATE,
    /** It lies before the window: a late duplicate, which any network may deliver. Counted, and never logged. */
    STALE,
    /** It lies beyond the window. */
    POSITION,
    /** One of its frames leaves the datagram or the term, or does not continue the one before it. */
    FRAME,
    /** It has a wrong tag: it was changed, or the peer did not send it. */
    TAG,
    /** It reports or requests what was never sent. */
    RANGE
}
