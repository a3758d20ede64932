package org.segno.engine.job;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * What the hubs of several hosts need to find, trust and watch each other.
 *
 * @param address where the job's hub listens
 * @param secret of the job
 * @param silence time without a sign of a host after which its ranks are dead
 */
public record HubNetwork(HubAddress address, JobSecret secret, Duration silence) {
    /** Default of the time after which a silent host is dead. */
    public static final Duration DEFAULT_SILENCE = Duration.ofSeconds(2);

    /** Remedy for messages about a silent host. */
    static final String SILENCE_REMEDY =
            "set a longer " + JobVariables.SILENCE + " if its processes or the network may pause for so long";

    private static final int IPV6_LENGTH = 16;
    private static final short IPV4_MARK = (short) 0xFFFF;

    /** Returns the intervals of the hubs' clock after which a silent host is dead. */
    int silenceTicks() {
        return ticks(silence);
    }

    static int ticks(Duration silence) {
        return (int) Math.min(Integer.MAX_VALUE, (silence.toMillis() + HubLoop.TICK_MS - 1) / HubLoop.TICK_MS);
    }

    /** Returns the 16 bytes of an address; one of IPv4 is mapped as RFC 4291, section 2.5.5.2, states. */
    static byte[] bytes(InetAddress address) {
        return address instanceof Inet6Address
                ? address.getAddress()
                : ByteBuffer.allocate(IPV6_LENGTH)
                        .putLong(0)
                        .putShort((short) 0)
                        .putShort(IPV4_MARK)
                        .put(address.getAddress())
                        .array();
    }

    /** Returns the address of the 16 bytes of two words. */
    static InetAddress address(long high, long low) {
        final byte[] bytes =
                ByteBuffer.allocate(IPV6_LENGTH).putLong(high).putLong(low).array();
        try {
            // Java returns a mapped address as one of IPv4.
            return InetAddress.getByAddress(bytes);
        } catch (final UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
