package org.segno.transport.aeron;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.net.InetAddress;
import java.util.List;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.segno.engine.packet.Frame;
import org.segno.link.Link;
import org.segno.status.Deadline;

/** Both ends of links over the loopback interface, joined by one thread that runs their drivers. */
final class LinkEnds {
    private static final byte[] SECRET = new byte[32];
    private static final int IDLE_STEPS = 3;
    private static final int MOST_STEPS = 10_000;

    private LinkEnds() {}

    /** Returns the key of what one rank sends to another. */
    static LinkKey key(int from, int to) {
        return LinkKey.derive(SECRET, 1, 2, from, to, 0);
    }

    /** Joins two ranks, each of which uses the driver of its end. */
    static AeronLink[] join(AeronDriver low, AeronDriver high, int lowRank, int highRank, int mtu) {
        final InetAddress host = InetAddress.getLoopbackAddress();
        final AeronLink first =
                AeronLink.open(low, new AeronEnd(lowRank, highRank, 0), host, mtu, key(highRank, lowRank));
        final AeronLink second =
                AeronLink.open(high, new AeronEnd(highRank, lowRank, 0), host, mtu, key(lowRank, highRank));
        first.connect(second.address(), key(lowRank, highRank));
        second.connect(first.address(), key(highRank, lowRank));
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

    /** Runs drivers until they have nothing to do: what one of them sends has arrived, and so has the answer. */
    static void step(List<AeronDriver> drivers) {
        int idle = 0;
        for (int i = 0; i < MOST_STEPS && idle < IDLE_STEPS; i++) {
            int work = 0;
            for (final AeronDriver driver : drivers) {
                work += driver.run();
            }
            idle = work == 0 ? idle + 1 : 0;
        }
    }

    /** Takes all frames of both ends of a link from it, whatever they contain. */
    static void drain(Link[] ends, Runnable step) {
        int frames = 1;
        while (frames != 0) {
            step.run();
            frames = 0;
            for (final Link end : ends) {
                for (int stream = 0; stream < Frame.STREAMS; stream++) {
                    frames += end.poll(stream, (memory, offset, length) -> true, Integer.MAX_VALUE);
                }
                end.flush();
            }
        }
    }
}
