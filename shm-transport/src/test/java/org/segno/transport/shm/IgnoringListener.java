package org.segno.transport.shm;

import org.segno.engine.job.Membership;

/** Listener that ignores all events: for a process that takes part in a job without being a node. */
final class IgnoringListener implements Membership.Listener {
    @Override
    public void left(int rank) {}

    @Override
    public void dead(int rank) {}

    @Override
    public void hubLost() {}

    @Override
    public void failed(String part, Throwable cause) {}

    @Override
    public void heartbeat(long nowNs) {}
}
