package org.segno.tools.run.plan;

/** Threads or processes that a job binds to cores. */
public enum Binding {
    /** No binding: the scheduler decides. */
    NONE,

    /** Engine threads, each bound to a core of its own. */
    THREADS,

    /** Processes of the ranks, each bound to a core of its own. */
    CORE
}
