package org.segno.engine.job;

/** Listener that ignores all events: for tests of a membership without a node. */
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
    public void launcherLost() {}

    @Override
    public void heartbeat(long nowNs) {}
}
