package org.segno.tools.run.process;

/** A running rank as its supervision needs it, on this host or on another one. Only the supervising thread uses it. */
public interface Rank {
    /** Returns the outcome. */
    RankExit exit();

    /** Returns the name for messages: {@code rank 2}, or the range of the ranks that are threads of one process. */
    String name();

    /** Returns the process id for messages, with the host if it is another one. */
    String place();

    /** Sends TERM to the rank and to the processes that it has started, so that a shell script's program ends too. */
    void terminate();

    /** Sends KILL to the rank and to all processes that it has started. */
    void kill();

    /** Returns true while a process runs that the rank had started by the time it was signalled. */
    boolean hasStragglers();

    /** Kills the rank and its descendants if it still runs. The last resort after a failure of the launcher itself. */
    void killIfAlive();
}
