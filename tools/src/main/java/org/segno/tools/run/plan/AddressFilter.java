package org.segno.tools.run.plan;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

/**
 * The value of {@code --net}: the name of a network interface, or a network as {@code 10.1.0.0/16}. Selects addresses
 * of this host that other hosts can reach.
 */
final class AddressFilter {
    private static final Pattern NETWORK = Pattern.compile("([0-9A-Fa-f:.]+)/([0-9]{1,3})");
    private static final Pattern INTERFACE = Pattern.compile("[A-Za-z0-9_.:@-]{1,15}");

    private final String text;
    private final byte[] network;
    private final int prefixLength;

    private AddressFilter(String text, byte[] network, int prefixLength) {
        this.text = text;
        this.network = network;
        this.prefixLength = prefixLength;
    }

    /** Returns the filter that selects all addresses. */
    static AddressFilter all() {
        return new AddressFilter("", new byte[0], 0);
    }

    /**
     * Parses the value.
     *
     * @throws IllegalArgumentException if it is neither a network nor the name of an interface.
     */
    static AddressFilter parse(String text) {
        final Matcher matcher = NETWORK.matcher(text);
        if (matcher.matches()) {
            final byte[] network = numeric(matcher.group(1), text);
            final int prefixLength = Integer.parseInt(matcher.group(2));
            if (prefixLength <= network.length * Byte.SIZE) {
                return new AddressFilter(text, network, prefixLength);
            }
        } else if (INTERFACE.matcher(text).matches()) {
            return new AddressFilter(text, new byte[0], 0);
        }
        throw malformed(text);
    }

    private static byte[] numeric(String address, String text) {
        try {
            // Digits, dots and colons alone: the name service is not used.
            return InetAddress.getByName(address).getAddress();
        } catch (final UnknownHostException e) {
            throw malformed(text);
        }
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException(
                "--net takes a network, as 10.1.0.0/16, or the name of an interface: '" + text + "'");
    }

    /**
     * Returns the addresses of this host that the filter selects, without those that no other host can reach.
     *
     * @throws CommandException with {@link ExitCode#NOT_FIT} if there is none; the message contains the existing ones.
     */
    List<InetAddress> ofThisHost() {
        final List<InetAddress> selected = new ArrayList<>();
        final List<String> existing = new ArrayList<>();
        try {
            for (final NetworkInterface each :
                    NetworkInterface.networkInterfaces().toList()) {
                if (each.isUp()) {
                    each.inetAddresses()
                            .filter(AddressFilter::isReachable)
                            .peek(address -> existing.add(each.getName() + " " + address.getHostAddress()))
                            .filter(address -> selects(each.getName(), address))
                            .forEach(selected::add);
                }
            }
        } catch (final SocketException e) {
            throw new CommandException(ExitCode.NOT_FIT, "the network interfaces of this host cannot be listed: " + e);
        }
        if (selected.isEmpty()) {
            throw new CommandException(
                    ExitCode.NOT_FIT,
                    (text.isEmpty()
                                    ? "this host has no address that other hosts can reach"
                                    : "--net " + text + " selects no address of this host")
                            + ", which has " + (existing.isEmpty() ? "none" : String.join(", ", existing))
                            + "; name one with --hub ADDRESS");
        }
        return selected;
    }

    private static boolean isReachable(InetAddress address) {
        return !address.isLoopbackAddress() && !address.isLinkLocalAddress() && !address.isMulticastAddress();
    }

    /** Returns true if the filter selects an address of an interface. */
    boolean selects(String interfaceName, InetAddress address) {
        if (text.isEmpty()) {
            return true;
        }
        if (network.length == 0) {
            return interfaceName.equals(text);
        }
        final byte[] bytes = address.getAddress();
        if (bytes.length != network.length) {
            return false;
        }
        for (int bit = 0; bit < prefixLength; bit++) {
            final int mask = 0x80 >>> (bit % Byte.SIZE);
            if (((bytes[bit / Byte.SIZE] ^ network[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }
}
