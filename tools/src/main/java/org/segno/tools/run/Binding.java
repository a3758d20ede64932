package org.segno.tools.run;

/** What is bound to cores. */
enum Binding {
    /** Nothing: the scheduler decides. */
    NONE,

    /** The engine's threads, each to a core of its own. */
    THREADS,

    /** The ranks' processes, each to a core of its own. */
    CORE
}
