package org.segno.operation;

/** Task for the thread that advances a context. Any thread may post it. */
@FunctionalInterface
public interface Work {
    /**
     * Runs within {@code advance}, on the thread that called it. The task may inject into the context, but cannot
     * advance it and therefore cannot wait. {@code advance} throws its exception, and the task is not run again.
     *
     * @return {@link org.segno.status.Status#AGAIN} to run again in the next {@code advance}; any other value ends the
     *     task. A value below zero means that nothing has happened: {@code advance} does not count it, and a caller
     *     without other work idles. A task that has done a part, and has more to do at once, posts itself again and
     *     returns zero. {@link org.segno.status.Status#BACK_PRESSURED} also ends it: a task that must repeat an
     *     injection returns {@code AGAIN}
     */
    long run();
}
