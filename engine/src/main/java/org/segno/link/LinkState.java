package org.segno.link;

/** State of a link. A link that has failed or was closed never carries packets again. */
public enum LinkState {
    /** Every frame given to the link arrives, in the order of its stream. */
    UP,

    /** A frame was lost, or an end was closed: data that have not arrived yet will not arrive. */
    DOWN
}
