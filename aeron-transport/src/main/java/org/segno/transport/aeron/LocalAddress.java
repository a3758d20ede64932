package org.segno.transport.aeron;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/**
 * The address at which the links of a process receive, and the longest datagram there.
 *
 * @param host address of an interface
 * @param mtu bytes of the payload of the longest datagram that links send: what the interface carries whole, or less
 *     for paths that carry less
 */
record LocalAddress(InetAddress host, int mtu) {
    /** Variable with the network or the interface of the addresses that links use. */
    static final String NET = "SEGNO_NET";

    /** Variable with the payload of the longest datagram. */
    static final String MTU = "SEGNO_MTU";

    private static final String MTU_PROPERTY = "segno.mtu";
    private static final String NET_PROPERTY = "segno.net";
    private static final int WORDS = 3;
    private static final int IPV6_LENGTH = 16;
    private static final short IPV4_MARK = (short) 0xFFFF;
    private static final int IPV4_HEADERS = 20 + 8;
    private static final int IPV6_HEADERS = 40 + 8;
    private static final int ALIGNMENT = 32;

    /**
     * Returns the address of this process: in the network of {@value #NET} if that is set, of the family in which other
     * hosts have reached this one if an interface is set that has both; otherwise the one at which they have reached
     * it, otherwise the loopback interface. Its datagrams are at most as long as {@value #MTU} names, or as the
     * interface carries.
     *
     * @param reached by other hosts; null if all ranks are on this host
     * @throws SegnoException if this host has no such address, or the longest datagram is set to another length than
     *     the interface can carry
     */
    static LocalAddress find(@Nullable InetAddress reached) {
        final String set = networkSetting();
        try {
            if (!set.isBlank()) {
                return within(network(set), reached);
            }
            return of(reached == null ? InetAddress.getLoopbackAddress() : reached);
        } catch (final SocketException e) {
            throw new SegnoException("cannot list the network interfaces of this host: " + e, e);
        }
    }

    /** Returns the network or interface that is set for links, blank if none is. */
    static String networkSetting() {
        return setting(NET_PROPERTY, NET);
    }

    private static String setting(String property, String variable) {
        final String value = System.getProperty(property, "");
        return (value.isBlank() ? System.getenv().getOrDefault(variable, "") : value).strip();
    }

    private static NetworkPrefix network(String text) {
        try {
            return NetworkPrefix.parse(text);
        } catch (final IllegalArgumentException e) {
            throw new SegnoException(NET + " must be " + e.getMessage(), e);
        }
    }

    private static LocalAddress within(NetworkPrefix network, @Nullable InetAddress reached) throws SocketException {
        final Map<InetAddress, NetworkInterface> usable = new LinkedHashMap<>();
        final List<String> scoped = new ArrayList<>();
        final List<String> found = new ArrayList<>();
        for (final NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (final InetAddress address : Collections.list(each.getInetAddresses())) {
                if (!network.contains(each.getName(), address)) {
                    found.add(each.getName() + " " + address.getHostAddress());
                } else if (needsScope(address)) {
                    scoped.add(address.getHostAddress());
                } else {
                    usable.putIfAbsent(address, each);
                }
            }
        }
        if (!usable.isEmpty()) {
            final InetAddress address = preferred(List.copyOf(usable.keySet()), reached);
            return new LocalAddress(address, mtu(Objects.requireNonNull(usable.get(address)), address));
        }
        if (!scoped.isEmpty()) {
            throw new SegnoException(NET + "=" + network + " has only link-local addresses, " + scoped
                    + ", to which other hosts cannot send: give it an address of IPv4 or another one of IPv6, or set "
                    + NET + " to another network");
        }
        throw new SegnoException("this host has no address in " + NET + "=" + network + ", but " + found);
    }

    /** Returns true if others can send to an address only by the name of an interface of their own. */
    private static boolean needsScope(InetAddress address) {
        return address instanceof Inet6Address && address.isLinkLocalAddress();
    }

    /**
     * Returns the first address of the family in which other hosts have reached this one: an interface may have both,
     * and all hosts of a job need the same. If there is none of it, returns the first address.
     */
    static InetAddress preferred(List<InetAddress> addresses, @Nullable InetAddress reached) {
        for (final InetAddress each : addresses) {
            if (reached == null || each instanceof Inet6Address == reached instanceof Inet6Address) {
                return each;
            }
        }
        return addresses.get(0);
    }

    private static LocalAddress of(InetAddress address) throws SocketException {
        final NetworkInterface its = NetworkInterface.getByInetAddress(address);
        if (its == null) {
            throw new SegnoException("other hosts reach this one at " + address.getHostAddress()
                    + ", which is no address of its own: set " + NET + " to the network that the hosts share");
        }
        return new LocalAddress(address, mtu(its, address));
    }

    /**
     * Returns the longest datagram of links at an address.
     *
     * @throws SegnoException if the interface cannot carry what is set
     */
    static int mtu(NetworkInterface its, InetAddress address) throws SocketException {
        final int headers = address instanceof Inet6Address ? IPV6_HEADERS : IPV4_HEADERS;
        final int longest = Math.min(LinkSizes.MAX_MTU, (its.getMTU() - headers) / ALIGNMENT * ALIGNMENT);
        final String set = setting(MTU_PROPERTY, MTU);
        return set.isEmpty() ? longest : parse(set, longest, its);
    }

    /**
     * Checks what is set as the longest datagram by itself. An interface may carry less than it permits.
     *
     * @throws IllegalArgumentException if no link can have such datagrams
     */
    static void requireMtu() {
        final String set = setting(MTU_PROPERTY, MTU);
        if (!set.isEmpty() && !isMtu(set, LinkSizes.MAX_MTU)) {
            throw new IllegalArgumentException(range(LinkSizes.MAX_MTU) + ": '" + set + "'");
        }
    }

    private static int parse(String text, int longest, NetworkInterface its) {
        if (!isMtu(text, longest)) {
            throw new SegnoException(
                    range(longest) + ", which the interface " + its.getName() + " carries: '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    private static boolean isMtu(String text, int longest) {
        try {
            final int mtu = Integer.parseInt(text);
            return mtu >= LinkSizes.MIN_MTU && mtu <= longest && mtu % ALIGNMENT == 0;
        } catch (final NumberFormatException ignored) {
            return false;
        }
    }

    private static String range(int longest) {
        return MTU + " must be a multiple of " + ALIGNMENT + " from " + LinkSizes.MIN_MTU + " to " + longest;
    }

    /**
     * Checks that links can join this address to that of a rank.
     *
     * @throws SegnoException if one is of IPv4 and the other one of IPv6
     */
    void requireFamilyOf(LocalAddress remote, int rank) {
        if (host instanceof Inet6Address != remote.host instanceof Inet6Address) {
            throw new SegnoException("no link can join this process at " + host.getHostAddress() + " to rank " + rank
                    + " at " + remote.host.getHostAddress() + ": one address is of IPv4 and the other of IPv6; set "
                    + NET + " (--net) to a network of one family that all hosts share, such as 10.1.0.0/16");
        }
    }

    /** Returns this address as words for other processes. */
    long[] words() {
        final ByteBuffer bytes = ByteBuffer.allocate(IPV6_LENGTH);
        if (!(host instanceof Inet6Address)) {
            bytes.putLong(0).putShort((short) 0).putShort(IPV4_MARK);
        }
        bytes.put(host.getAddress()).flip();
        return new long[] {bytes.getLong(), bytes.getLong(), mtu};
    }

    /**
     * Returns the address of the words of a rank.
     *
     * @throws SegnoException if they are none
     */
    static LocalAddress of(long[] words, int rank) {
        if (words.length != WORDS || words[2] <= 0 || words[2] > LinkSizes.MAX_MTU) {
            throw new SegnoException("rank " + rank + " has no address for links over Aeron: set the same"
                    + " NodeConfig.withTransport and SEGNO_TRANSPORT for all ranks");
        }
        final byte[] bytes = ByteBuffer.allocate(IPV6_LENGTH)
                .putLong(words[0])
                .putLong(words[1])
                .array();
        try {
            // Java returns a mapped address as one of IPv4.
            return new LocalAddress(InetAddress.getByAddress(bytes), (int) words[2]);
        } catch (final UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
