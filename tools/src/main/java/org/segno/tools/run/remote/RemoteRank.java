package org.segno.tools.run.remote;

import org.segno.tools.run.channel.ChannelFrame;
import org.segno.tools.run.channel.ChannelFrame.Kind;
import org.segno.tools.run.process.Rank;
import org.segno.tools.run.process.RankExit;

/** A rank that the agent of another host has started. */
final class RemoteRank implements Rank {
    private final HostChannel host;
    private final int number;
    private final RankExit exit;
    private boolean signalled;

    /** Written by the thread of the channel. */
    private volatile long pid;

    RemoteRank(HostChannel host, int number) {
        this.host = host;
        this.number = number;
        this.exit = new RankExit(number);
    }

    void started(long pid) {
        this.pid = pid;
    }

    @Override
    public RankExit exit() {
        return exit;
    }

    @Override
    public String name() {
        return "rank " + number;
    }

    @Override
    public String place() {
        return "host " + host.name() + ", pid " + pid;
    }

    @Override
    public void terminate() {
        signalled = true;
        host.send(ChannelFrame.of(Kind.TERM, number, 0));
    }

    @Override
    public void kill() {
        signalled = true;
        host.send(ChannelFrame.of(Kind.KILL, number, 0));
        host.discardOutput();
    }

    /** The agent ends when no process of a signalled rank runs any more. */
    @Override
    public boolean hasStragglers() {
        return signalled && host.isOpen();
    }

    @Override
    public void killIfAlive() {
        if (exit.running()) {
            kill();
        }
    }
}
