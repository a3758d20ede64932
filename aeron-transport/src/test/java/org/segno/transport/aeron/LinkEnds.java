package org.segno.transport.aeron;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.net.InetAddress;
import java.util.List;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.segno.status.Deadline;

/** Both ends of links over the loopback interface, joined by one thread that runs their drivers. */
final class LinkEnds {
    private static final int STEPS = 6;

    private LinkEnds() {}

    /** Joins two ranks, each of which uses the driver of its end. */
    static AeronLink[] join(AeronDriver low, AeronDriver high, int lowRank, int highRank, int mtu) {
        final InetAddress host = InetAddress.getLoopbackAddress();
        final AeronLink first = AeronLink.open(low, highRank, host, mtu);
        final AeronLink second = AeronLink.open(high, lowRank, host, mtu);
        first.connect(second.address());
        second.connect(first.address());
        final long deadlineNs = Deadline.in(20, SECONDS);
        while (!first.isJoined() || !second.isJoined()) {
            if (Deadline.reached(deadlineNs)) {
                throw new AssertionError("the ends of a link are not joined");
            }
            low.run();
            high.run();
            YieldingIdleStrategy.INSTANCE.idle();
        }
        return new AeronLink[] {first, second};
    }

    /** Runs drivers until what one of them has to say has arrived at the other, and the answer here. */
    static void step(List<AeronDriver> drivers) {
        for (int i = 0; i < STEPS; i++) {
            for (final AeronDriver driver : drivers) {
                driver.run();
            }
        }
    }
}
