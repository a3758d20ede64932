package org.segno.bench.experiment;

import java.util.Arrays;
import java.util.List;

/**
 * Network of the experiments with links: the loopback interface, or one between two network namespaces.
 *
 * @param namespaces namespace of each worker, by role; none on the loopback interface
 * @param addresses address of each worker in its namespace, by role; none on the loopback interface
 * @param mtus lengths of the longest datagrams' payloads that are measured, in bytes, from the shortest
 */
public record LinkNetwork(List<String> namespaces, List<String> addresses, List<Integer> mtus) {
    /** Loopback interface with datagrams as on Ethernet, of 8 KiB, and of the longest possible length. */
    public static final LinkNetwork LOOPBACK = new LinkNetwork(List.of(), List.of(), List.of(1408, 8192, 65_504));

    private static final String PROPERTY = "bench.network";
    private static final int ALIGNMENT = 32;

    /** Copies the lists and checks the lengths. */
    public LinkNetwork {
        namespaces = List.copyOf(namespaces);
        addresses = List.copyOf(addresses);
        mtus = List.copyOf(mtus);
        for (final int mtu : mtus) {
            if (mtu <= 0 || mtu % ALIGNMENT != 0) {
                throw new IllegalArgumentException("lengths of datagrams must be multiples of " + ALIGNMENT
                        + ", as 1472 for an interface of 1,500 bytes: mtu=" + mtu);
            }
        }
    }

    /**
     * Returns the network between two namespaces.
     *
     * @param ends namespace and address of the origin and of the echo, as {@code a=10.77.0.2}
     * @throws IllegalArgumentException if there are not two, or one is incomplete
     */
    public static LinkNetwork between(List<String> ends, List<Integer> mtus) {
        final List<String[]> parts =
                ends.stream().map(end -> end.split("=", -1)).toList();
        if (parts.size() != Role.values().length
                || parts.stream().anyMatch(part -> part.length != 2 || part[0].isEmpty() || part[1].isEmpty())) {
            throw new IllegalArgumentException(
                    "two namespaces and their addresses are needed, as a=10.77.0.2,b=10.77.0.3: " + ends);
        }
        return new LinkNetwork(
                parts.stream().map(part -> part[0]).toList(),
                parts.stream().map(part -> part[1]).toList(),
                mtus);
    }

    /** Returns the network that the option of {@link #option} names, the loopback interface by default. */
    public static LinkNetwork ofThisProcess() {
        final String text = System.getProperty(PROPERTY, "");
        if (text.isEmpty()) {
            return LOOPBACK;
        }
        final String[] parts = text.split(";", -1);
        final List<Integer> mtus =
                Arrays.stream(parts[1].split(",", -1)).map(Integer::valueOf).toList();
        return parts[0].isEmpty()
                ? new LinkNetwork(List.of(), List.of(), mtus)
                : between(List.of(parts[0].split(",", -1)), mtus);
    }

    /** Returns the option of a JVM from which {@link #ofThisProcess} returns this network. */
    public String option() {
        final StringBuilder text = new StringBuilder("-D" + PROPERTY + "=");
        for (int i = 0; i < namespaces.size(); i++) {
            text.append(i == 0 ? "" : ",").append(namespaces.get(i)).append('=').append(addresses.get(i));
        }
        text.append(';');
        for (int i = 0; i < mtus.size(); i++) {
            text.append(i == 0 ? "" : ",").append(mtus.get(i));
        }
        return text.toString();
    }

    /** Returns true if the workers are in namespaces of their own. */
    public boolean isBetweenNamespaces() {
        return !namespaces.isEmpty();
    }

    /** Returns the beginning of the command that starts a worker: that which enters its namespace, or nothing. */
    public List<String> entry(Role role) {
        return isBetweenNamespaces() ? List.of("ip", "netns", "exec", namespaces.get(role.rank())) : List.of();
    }

    /** Returns the address of a worker. */
    public String address(Role role) {
        return isBetweenNamespaces() ? addresses.get(role.rank()) : "127.0.0.1";
    }

    /** Returns the longest datagram, which links use by default. */
    public int longestMtu() {
        return mtus.get(mtus.size() - 1);
    }

    /** Returns a description for the header of a report. */
    public String description() {
        return isBetweenNamespaces()
                ? "links between the network namespaces " + namespaces + ", addresses " + addresses
                : "links over the loopback interface";
    }
}
