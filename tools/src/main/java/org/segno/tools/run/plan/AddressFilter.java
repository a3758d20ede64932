package org.segno.tools.run.plan;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.transport.aeron.NetworkPrefix;

/**
 * The value of {@code --net}: the name of a network interface, or a network as {@code 10.1.0.0/16}. Selects addresses
 * of this host that other hosts can reach.
 */
final class AddressFilter {
    private final @Nullable NetworkPrefix network;

    private AddressFilter(@Nullable NetworkPrefix network) {
        this.network = network;
    }

    /** Returns the filter that selects all addresses. */
    static AddressFilter all() {
        return new AddressFilter(null);
    }

    /**
     * Parses the value.
     *
     * @throws IllegalArgumentException if it is neither a network nor the name of an interface.
     */
    static AddressFilter parse(String text) {
        try {
            return new AddressFilter(NetworkPrefix.parse(text));
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException("--net takes " + e.getMessage(), e);
        }
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
                    (network == null
                                    ? "this host has no address that other hosts can reach"
                                    : "--net " + network + " selects no address of this host")
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
        return network == null || network.contains(interfaceName, address);
    }
}
