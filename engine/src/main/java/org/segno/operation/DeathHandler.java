package org.segno.operation;

/** Handler of deaths: the process of another rank has ended without leaving the job. */
@FunctionalInterface
public interface DeathHandler {
    /**
     * Receives the death of {@code rank}, once. Runs within {@code advance} or a wait, on the thread that called it. It
     * may inject into the context, but cannot advance it and therefore cannot wait. {@code advance} throws its
     * exception; the deaths of other ranks follow in later calls.
     */
    void onDeath(int rank);
}
