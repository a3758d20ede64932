package org.segno.link;

/** State of a link. A link that has failed or was closed never carries packets again. */
public enum LinkState {
    /** Every frame given to the link arrives, in the order of its stream. */
    UP,

    /**
     * The peer has closed its end: it leaves, or its engine has failed, which the hub reports. Data that have not
     * arrived yet will not arrive.
     */
    ENDED,

    /** A frame was lost, or this end was closed: data that have not arrived yet will not arrive. */
    DOWN
}
