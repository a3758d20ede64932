package org.segno.link;

/** State of a link. A link that has failed or was closed never carries packets again. */
public enum LinkState {
    /** Every packet given to the link arrives, in its channel's order. */
    UP,

    /** A packet was lost, or an end was closed: data that have not arrived yet will not arrive. */
    DOWN
}
