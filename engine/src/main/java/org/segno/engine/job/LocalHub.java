package org.segno.engine.job;

/** Hub that runs in a process of ranks. */
interface LocalHub extends AutoCloseable {
    /**
     * Lets this process end only after the hub, which serves the other ranks until they have left and then removes the
     * directory of the job. For a few seconds at most: the others may have much to do yet. Does not wait.
     */
    void keepProcess();

    @Override
    void close();
}
