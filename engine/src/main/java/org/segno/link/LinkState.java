package org.segno.link;

/** Whether a link carries packets. What has failed or was closed never does again. */
public enum LinkState {
    /** Every packet given to it arrives, in its channel's order. */
    UP,

    /** Something was lost, or an end was closed: what its packets did not bring is not coming. */
    DOWN
}
