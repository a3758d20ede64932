package org.segno.tools.run.plan;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.engine.job.HubAddress;
import org.segno.engine.job.SettingNames;
import org.segno.tools.command.CommandException;

/**
 * The addresses that the hosts of a job use.
 *
 * @param net the value of {@code --net}, null for all networks
 * @param ports the ports of the hub and of links, null for any free ones
 * @param hub the place of the hub, null for all addresses of this host that {@code net} selects
 */
public record Network(
        @Nullable String net,
        @Nullable PortRange ports,
        @Nullable HubPlace hub) {
    /** All networks, any port. */
    static final Network DEFAULT = new Network(null, null, null);

    /** Checks {@code net}. */
    public Network {
        if (net != null) {
            AddressFilter.parse(net);
        }
    }

    /**
     * Returns the address where the job's hub listens.
     *
     * @throws CommandException if the name of the hub has no address.
     */
    public HubAddress listening() {
        final PortRange range = ports;
        final int first = range == null ? 0 : range.first();
        final int last = range == null ? 0 : range.last();
        final HubPlace place = hub;
        if (place == null) {
            return new HubAddress(null, first, last);
        }
        final InetAddress address = place.address();
        // An address that is not this host's own, as that of a router in front of it, is for the other hosts alone.
        final InetAddress own = isOwn(address) ? address : null;
        return place.port() == 0 ? new HubAddress(own, first, last) : new HubAddress(own, place.port(), place.port());
    }

    /**
     * Returns the addresses at which other hosts may reach the hub, in the order in which they try them.
     *
     * @param port the port that the hub listens at
     * @throws CommandException if there is none.
     */
    public List<InetSocketAddress> candidates(int port) {
        final HubPlace place = hub;
        final String network = net;
        final List<InetAddress> addresses = place != null
                ? List.of(place.address())
                : (network == null ? AddressFilter.all() : AddressFilter.parse(network)).ofThisHost();
        return addresses.stream()
                .map(address -> new InetSocketAddress(address, port))
                .toList();
    }

    /** Returns the variables by which a rank finds the addresses that its links may use. */
    Map<String, String> variables() {
        final Map<String, String> variables = new LinkedHashMap<>();
        if (net != null) {
            variables.put(SettingNames.variable("net"), net);
        }
        if (ports != null) {
            variables.put(SettingNames.variable("port-range"), ports.toString());
        }
        return variables;
    }

    private static boolean isOwn(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (final SocketException ignored) {
            // The hub listens at all addresses then.
            return false;
        }
    }
}
