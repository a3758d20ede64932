package org.segno.tools.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Two network namespaces and a bridge of their own that joins them and this host. Their names contain the id of this
 * process. Needs root and the program {@code ip}.
 */
final class NetworkNamespaces {
    private static final long LIMIT_S = 30;

    private final String number = String.valueOf(ProcessHandle.current().pid());

    /** The network, of those that RFC 2544 reserves for tests. */
    private final String network = "198.18." + (ProcessHandle.current().pid() & 0xFF);

    private final String bridge = "sg" + number;
    private final List<String> hosts = List.of("sga" + number, "sgb" + number);
    private final Path report;

    /** Reason why there are no namespaces. */
    static final class UnavailableException extends Exception {
        private static final long serialVersionUID = 1;

        UnavailableException(String message) {
            super(message);
        }
    }

    private NetworkNamespaces(Path report) {
        this.report = report;
    }

    /**
     * Makes namespaces and bridge.
     *
     * @param report file for the output of commands
     * @throws UnavailableException with the reason, if this user or this host cannot have them.
     */
    static NetworkNamespaces open(Path report) throws IOException, InterruptedException, UnavailableException {
        final NetworkNamespaces made = new NetworkNamespaces(report);
        try {
            made.open();
            return made;
        } catch (final UnavailableException e) {
            made.remove();
            throw e;
        }
    }

    private void open() throws IOException, InterruptedException, UnavailableException {
        run("ip link add " + bridge + " type bridge");
        run("ip addr add " + network + ".1/24 dev " + bridge);
        run("ip link set " + bridge + " up");
        for (int i = 0; i < hosts.size(); i++) {
            final String host = hosts.get(i);
            run("ip netns add " + host);
            run("ip link add " + link(i) + " type veth peer name eth0 netns " + host);
            run("ip link set " + link(i) + " master " + bridge + " up");
            run("ip -n " + host + " link set lo up");
            run("ip -n " + host + " addr add " + network + "." + (i + 2) + "/24 dev eth0");
            run("ip -n " + host + " link set eth0 up");
        }
    }

    /** Returns the name of a host: 0 or 1. */
    String host(int index) {
        return hosts.get(index);
    }

    /** Returns the network of the bridge. */
    String network() {
        return network + ".0/24";
    }

    /** Cuts a host off from the other one and from this one. */
    void cut(int index) throws IOException, InterruptedException, UnavailableException {
        run("ip link set " + link(index) + " down");
    }

    /** Ends what {@link #cut} has begun. */
    void mend(int index) throws IOException, InterruptedException, UnavailableException {
        run("ip link set " + link(index) + " up");
    }

    /**
     * Limits what a host receives to 10 Mbit/s. What comes faster waits for at most 400 ms and is lost beyond that.
     * Needs the program {@code tc}.
     */
    void slow(int index) throws IOException, InterruptedException, UnavailableException {
        run("tc qdisc add dev " + link(index) + " root tbf rate 10mbit burst 16kb latency 400ms");
    }

    /** Prepares a host for the loss of datagrams. Needs the program {@code nft}. */
    void filter(int index) throws IOException, InterruptedException, UnavailableException {
        nft(index, "add table inet segno");
        nft(index, "add chain inet segno in { type filter hook input priority 0 ; }");
    }

    /** Loses each {@code interval}-th datagram of UDP that a host receives, 1 for all. */
    void drop(int index, int interval) throws IOException, InterruptedException, UnavailableException {
        nft(index, "add rule inet segno in meta l4proto udp numgen inc mod " + interval + " == 0 drop");
    }

    /** Ends what {@link #drop} has begun. */
    void admit(int index) throws IOException, InterruptedException, UnavailableException {
        nft(index, "flush chain inet segno in");
    }

    private void nft(int index, String command) throws IOException, InterruptedException, UnavailableException {
        run("ip netns exec " + host(index) + " nft " + command);
    }

    private static String link(int index) {
        return "sgv" + (index == 0 ? "a" : "b") + ProcessHandle.current().pid();
    }

    private void run(String command) throws IOException, InterruptedException, UnavailableException {
        final Process process;
        try {
            process = new ProcessBuilder(command.split(" "))
                    .redirectErrorStream(true)
                    .redirectOutput(report.toFile())
                    .start();
        } catch (final IOException e) {
            throw new UnavailableException("no such program on this host: " + e.getMessage());
        }
        if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new UnavailableException(
                    command + ": " + Files.readString(report).strip());
        }
    }

    /** Removes everything that could be made. */
    void remove() throws IOException, InterruptedException {
        final List<String> commands = new ArrayList<>();
        for (int i = 0; i < hosts.size(); i++) {
            commands.add("ip link del " + link(i));
            commands.add("ip netns del " + hosts.get(i));
        }
        commands.add("ip link del " + bridge);
        for (final String command : commands) {
            try {
                run(command);
            } catch (final UnavailableException ignored) {
                // It had not been made, or went with the one before.
            }
        }
    }
}
