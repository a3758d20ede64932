package org.segno.transport.aeron;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.segno.status.Deadline;

/** Drivers and the faulty network between their links, which the threads of a test run in steps. */
final class Network implements AutoCloseable {
    private static final int IDLE_STEPS = 3;
    private static final int SECONDS_LIMIT = 30;

    private final List<AeronDriver> drivers;
    private final List<UdpProxy> proxies = new ArrayList<>();

    Network(AeronDriver... drivers) {
        this.drivers = List.of(drivers);
    }

    AeronLink[] join(
            AeronDriver low,
            AeronDriver high,
            int lowRank,
            int highRank,
            int mtu,
            Faults faults,
            long seed,
            List<byte[]> old) {
        return join(low, high, lowRank, highRank, mtu, faults, seed, old, () -> {});
    }

    /**
     * Joins two ranks by a link of which each direction has a proxy.
     *
     * @param old datagrams of an earlier job
     * @param time moves the drivers' clock, if a test has stopped it
     */
    synchronized AeronLink[] join(
            AeronDriver low,
            AeronDriver high,
            int lowRank,
            int highRank,
            int mtu,
            Faults faults,
            long seed,
            List<byte[]> old,
            Runnable time) {
        final InetAddress host = InetAddress.getLoopbackAddress();
        final AeronLink first =
                AeronLink.open(low, new AeronEnd(lowRank, highRank, 0), host, mtu, LinkEnds.key(highRank, lowRank));
        final AeronLink second =
                AeronLink.open(high, new AeronEnd(highRank, lowRank, 0), host, mtu, LinkEnds.key(lowRank, highRank));
        final UdpProxy there = new UdpProxy(second.address(), faults, seed, old);
        final UdpProxy back = new UdpProxy(first.address(), faults, seed + 1, old);
        proxies.add(there);
        proxies.add(back);
        first.connect(there.address(), LinkEnds.key(lowRank, highRank));
        second.connect(back.address(), LinkEnds.key(highRank, lowRank));
        final long deadlineNs = Deadline.in(SECONDS_LIMIT, SECONDS);
        while (!first.isJoined() || !second.isJoined()) {
            step();
            time.run();
            require(deadlineNs, "joined");
        }
        return new AeronLink[] {first, second};
    }

    private void require(long deadlineNs, String state) {
        if (Deadline.reached(deadlineNs)) {
            final StringBuilder text = new StringBuilder("the links are not " + state + ":");
            for (final UdpProxy proxy : proxies) {
                text.append("\n" + proxy + " " + proxy.progress());
            }
            throw new AssertionError(text);
        }
        YieldingIdleStrategy.INSTANCE.idle();
    }

    /** Returns the proxies in the order of the links, two for each: from its first end, and from its second. */
    List<UdpProxy> proxies() {
        return proxies;
    }

    /** Sets the faults of all links. */
    synchronized void set(Faults faults) {
        proxies.forEach(proxy -> proxy.set(faults));
    }

    /** Runs all drivers and proxies once. Returns the amount of work done. */
    synchronized int step() {
        int work = 0;
        for (final AeronDriver driver : drivers) {
            work += driver.run();
        }
        for (final UdpProxy proxy : proxies) {
            work += proxy.step();
        }
        return work;
    }

    /** Runs drivers and proxies until they have nothing to do. */
    synchronized void rest() {
        for (int idle = 0; idle < IDLE_STEPS; ) {
            idle = step() == 0 ? idle + 1 : 0;
        }
    }

    /** Runs drivers and proxies until all that was sent has been delivered. */
    synchronized void settle() {
        final long deadlineNs = Deadline.in(SECONDS_LIMIT, SECONDS);
        int idle = 0;
        while (idle < IDLE_STEPS || !proxies.stream().allMatch(UdpProxy::isSettled)) {
            idle = step() == 0 ? idle + 1 : 0;
            require(deadlineNs, "settled");
        }
    }

    @Override
    public synchronized void close() {
        proxies.forEach(UdpProxy::close);
        proxies.clear();
    }
}
