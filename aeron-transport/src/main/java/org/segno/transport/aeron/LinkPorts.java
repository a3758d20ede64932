package org.segno.transport.aeron;

import io.aeron.driver.media.PortManager;
import io.aeron.driver.media.UdpChannel;
import io.aeron.exceptions.AeronException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.segno.status.SegnoException;

/**
 * UDP ports at which links receive: any free ones, or those of a range that a firewall admits. Processes of one host
 * may share a range, so each begins elsewhere in it. Used by the thread that has the driver's turn.
 */
final class LinkPorts implements PortManager {
    /** Variable with the first and last port of links. */
    static final String RANGE = "SEGNO_PORT_RANGE";

    private static final String RANGE_PROPERTY = "segno.port-range";
    private static final int MAX_PORT = 65_535;

    private final int first;
    private final int count;
    private int next;

    /** True if the last socket has found no free port. */
    private boolean isExhausted;

    private LinkPorts(int first, int count) {
        this.first = first;
        this.count = count;
        this.next = count == 0 ? 0 : (int) (ProcessHandle.current().pid() % count);
    }

    /** Returns any free ports. */
    static LinkPorts any() {
        return new LinkPorts(0, 0);
    }

    /** Returns the ports of {@value #RANGE}, any if it is not set. */
    static LinkPorts ofThisProcess() {
        final String property = System.getProperty(RANGE_PROPERTY, "");
        final String set = property.isBlank() ? System.getenv().getOrDefault(RANGE, "") : property;
        return set.isBlank() ? any() : parse(set.strip());
    }

    /**
     * Reads {@code 7001:7100}.
     *
     * @throws SegnoException if it is no range of ports
     */
    static LinkPorts parse(String text) {
        final String[] ports = text.split(":", -1);
        try {
            final int from = Integer.parseInt(ports[0]);
            final int to = Integer.parseInt(ports[ports.length - 1]);
            if (ports.length <= 2 && from >= 1 && to >= from && to <= MAX_PORT) {
                return new LinkPorts(from, to - from + 1);
            }
        } catch (final NumberFormatException ignored) {
            throw invalid(text);
        }
        throw invalid(text);
    }

    /** Returns the range for people. */
    @Override
    public String toString() {
        return count == 0 ? "any free ones" : first + ":" + (first + count - 1);
    }

    private static SegnoException invalid(String text) {
        return new SegnoException(RANGE + " must be the first and the last port, as 7001:7100, from 1 to " + MAX_PORT
                + ": '" + text + "'");
    }

    /**
     * Opens a socket, which binds to {@link #getManagedPort}: at the next port of the range that is free. There is no
     * look before: another process could take the port after it, and would find it taken meanwhile.
     *
     * @throws AeronException if none is free, or the socket cannot be opened
     */
    void open(Runnable socket) {
        for (int left = count - 1; ; left--) {
            try {
                socket.run();
                return;
            } catch (final AeronException e) {
                final boolean isTaken = count > 0 && e.getCause() instanceof BindException;
                isExhausted = isTaken && left == 0;
                if (!isTaken || isExhausted) {
                    throw e;
                }
            }
        }
    }

    @Override
    public InetSocketAddress getManagedPort(UdpChannel channel, InetSocketAddress address) {
        if (count == 0) {
            return address;
        }
        final int port = first + next;
        next = (next + 1) % count;
        return new InetSocketAddress(address.getAddress(), port);
    }

    @Override
    public void freeManagedPort(InetSocketAddress address) {
        // The system knows which ports are free.
    }

    /** Returns the reason why a link cannot listen: that no port was free, if that was it. */
    RuntimeException reason(InetAddress host, RuntimeException cause) {
        if (!isExhausted) {
            return cause;
        }
        isExhausted = false;
        return new SegnoException(
                "no UDP port of " + host.getHostAddress() + " is free in " + RANGE + "=" + this
                        + ": each link of a process needs one, for each engine of each linked rank;"
                        + " give a longer range",
                cause);
    }
}
