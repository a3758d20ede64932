package org.segno.work;

/** Something to be done by the thread that advances a context, posted to it by any thread. */
@FunctionalInterface
public interface Work {
    /**
     * Runs within {@code advance}, on the thread that called that, and may inject into the context; it cannot advance it, and so not
     * wait. What it throws comes out of {@code advance}, and it is not run again.
     *
     * @return {@link org.segno.status.Status#AGAIN} to be run again in the next {@code advance}; whatever else ends it. An answer
     *     below zero says that nothing has happened: {@code advance} does not count it, and who finds nothing else to do idles. Work that
     *     has done a part, and has more to do at once, posts itself anew and answers zero
     */
    long run();
}
