package org.segno.transport.aeron;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.net.InetAddress;
import java.util.List;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.segno.engine.packet.Frame;
import org.segno.status.Deadline;

/** Both ends of links over the loopback interface, joined by one thread that runs their drivers. */
final class LinkEnds {
    static final int SESSION = -77;
    private static final int IDLE_STEPS = 3;
    private static final int MOST_STEPS = 10_000;

    private LinkEnds() {}

    /** Joins two ranks, each of which uses the driver of its end. */
    static AeronLink[] join(AeronDriver low, AeronDriver high, int lowRank, int highRank, int mtu) {
        final InetAddress host = InetAddress.getLoopbackAddress();
        final AeronLink first = AeronLink.open(low, highRank, host, mtu, SESSION);
        final AeronLink second = AeronLink.open(high, lowRank, host, mtu, SESSION + 1);
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
    static void drain(AeronLink[] ends, AeronDriver driver) {
        int frames = 1;
        while (frames != 0) {
            step(List.of(driver));
            frames = 0;
            for (final AeronLink end : ends) {
                for (int stream = 0; stream < Frame.STREAMS; stream++) {
                    frames += end.poll(stream, (memory, offset, length) -> true, Integer.MAX_VALUE);
                }
                end.flush();
            }
        }
    }
}
