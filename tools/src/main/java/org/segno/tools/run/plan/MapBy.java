package org.segno.tools.run.plan;

/** The order in which ranks fill the hosts of a job. */
public enum MapBy {
    /** All slots of a host before the next host. */
    SLOT,

    /** One slot of each host in turn. */
    NODE
}
