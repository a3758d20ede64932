package org.segno.transport.aeron;

import io.aeron.AeronVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/** Properties of the links that a process with the settings of this one would have on this host. */
public final class HostLinks {
    /** Bytes of the buffers that links ask for. */
    public static final int WANTED_SOCKET_BYTES = DriverSettings.SOCKET_BUFFER;

    /** Variable with the first and the last port of links. */
    public static final String PORT_RANGE = LinkPorts.RANGE;

    /** Bytes of the receive buffer that a link requests from the system. */
    public static final int SOCKET_BYTES = DriverSettings.SOCKET_BUFFER;

    private HostLinks() {}

    /** Returns the version of Aeron. */
    public static String aeronVersion() {
        return AeronVersion.VERSION;
    }

    /**
     * Returns the UDP ports at which links receive, for people.
     *
     * @throws SegnoException if the setting is no range of ports
     */
    public static String ports() {
        return LinkPorts.ofThisProcess().toString();
    }

    /**
     * Checks the setting of the longest datagram by itself. The interface of a link may carry less than it permits.
     *
     * @throws IllegalArgumentException if no link can have such datagrams
     */
    public static void requireMtu() {
        LocalAddress.requireMtu();
    }

    /** Returns the receive buffer that the system grants to a socket, in bytes; null if it has no sockets. */
    public static @Nullable Integer socketBytes() {
        try {
            return DriverSettings.grantedBuffer();
        } catch (final IOException ignored) {
            return null;
        }
    }

    /**
     * An address at which links may receive.
     *
     * @param interfaceName the interface that has it
     * @param address without a name
     * @param mtu bytes of the payload of the longest datagram there; 0 if the setting exceeds what the interface
     *     carries
     * @param use the links that use it, or the reason why none can
     */
    public record Address(String interfaceName, String address, int mtu, String use) {}

    /**
     * Returns the address that is set for links or, if none is, all of this host.
     *
     * @throws SegnoException if this host has no address in the network that is set
     */
    public static List<Address> addresses() {
        final List<Address> addresses = new ArrayList<>();
        try {
            if (!LocalAddress.networkSetting().isBlank()) {
                final InetAddress set = LocalAddress.find(null).host();
                addresses.add(address(
                        NetworkInterface.getByInetAddress(set),
                        set,
                        LocalAddress.NET + "=" + LocalAddress.networkSetting()));
                return addresses;
            }
            for (final NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (each.isUp()) {
                    addAll(each, addresses);
                }
            }
        } catch (final SocketException e) {
            throw new SegnoException("cannot list the network interfaces of this host: " + e, e);
        }
        return addresses;
    }

    private static void addAll(NetworkInterface its, List<Address> addresses) throws SocketException {
        for (final InetAddress address : Collections.list(its.getInetAddresses())) {
            if (address.equals(InetAddress.getLoopbackAddress())) {
                addresses.add(address(its, address, "if all ranks are on this host"));
            } else if (!address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
                addresses.add(address(its, address, "if other hosts reach this one here"));
            }
        }
    }

    private static Address address(NetworkInterface its, InetAddress address, String use) throws SocketException {
        // Java adds the interface to an address of IPv6.
        final String text = address.getHostAddress().replaceFirst("%.*", "");
        try {
            return new Address(its.getName(), text, LocalAddress.mtu(its, address), use);
        } catch (final SegnoException invalid) {
            return new Address(its.getName(), text, 0, String.valueOf(invalid.getMessage()));
        }
    }
}
