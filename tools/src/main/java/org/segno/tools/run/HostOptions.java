package org.segno.tools.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.segno.tools.process.ShellWords;
import org.segno.tools.run.plan.HostFile;
import org.segno.tools.run.plan.HostMap;
import org.segno.tools.run.plan.HubPlace;
import org.segno.tools.run.plan.JobHost;
import org.segno.tools.run.plan.LaunchPlan;
import org.segno.tools.run.plan.MapBy;
import org.segno.tools.run.plan.Network;
import org.segno.tools.run.plan.PortRange;
import org.segno.transport.aeron.HostLinks;
import picocli.CommandLine.Option;

/** Options for jobs over several hosts. */
final class HostOptions {
    @Option(
            names = {"-H", "--host"},
            paramLabel = "a:2,b",
            description = "hosts with their slots, as user@name:N, default 1; localhost is this one")
    private @Nullable String hosts;

    @Option(
            names = "--hostfile",
            paramLabel = "F",
            description = "file of hosts, one per line: 'name slots=N'; '#' begins a comment")
    private @Nullable Path hostFile;

    @Option(
            names = "--map-by",
            paramLabel = "KIND",
            defaultValue = "slot",
            description = "slot: ranks fill one host after the other; node: one rank per host in turn;"
                    + " default ${DEFAULT-VALUE}")
    private MapBy mapBy = MapBy.SLOT;

    @Option(
            names = "--rsh",
            paramLabel = "'CMD'",
            defaultValue = "ssh",
            description = {
                "command that starts another one on a host, whose name follows it; 'ip netns exec' starts",
                "ranks in network namespaces; default ${DEFAULT-VALUE}"
            })
    private String remoteShell = "ssh";

    @Option(
            names = "--net",
            paramLabel = "NET",
            description = "network, as 10.1.0.0/16, or interface for all traffic between hosts; default all")
    private @Nullable String net;

    @Option(
            names = "--hub",
            paramLabel = "ADDRESS[:PORT]",
            description = "where other hosts reach this one; default all its addresses in --net")
    private @Nullable String hub;

    @Option(
            names = "--port-range",
            paramLabel = "A:B",
            description = "TCP ports of the hub and UDP ports of links, for firewalls; default any free ones")
    private @Nullable String portRange;

    /**
     * Returns the hosts that the options name, none if they name none.
     *
     * @throws IllegalArgumentException if they are malformed, or both options are given.
     */
    List<JobHost> hosts() {
        final String named = hosts;
        final Path file = hostFile;
        if (named != null && file != null) {
            throw new IllegalArgumentException("give --host or --hostfile, not both");
        }
        return named != null ? JobHost.parse(named) : file != null ? HostFile.read(file) : List.of();
    }

    /**
     * Returns the plan with the hosts of its ranks.
     *
     * @throws IllegalArgumentException if an option or a setting of links is malformed, or there are more ranks than
     *     slots.
     */
    LaunchPlan apply(LaunchPlan plan) {
        // Ranks that take it from the environment would end with a stack trace each.
        HostLinks.requireMtu();
        final List<String> shell = ShellWords.split(remoteShell);
        if (shell.isEmpty()) {
            throw new IllegalArgumentException("--rsh must be a command, as ssh: '" + remoteShell + "'");
        }
        final Network network = new Network(
                net == null ? null : net.trim(),
                portRange == null ? null : PortRange.parse(portRange),
                hub == null ? null : HubPlace.parse(hub.trim().toLowerCase(Locale.ROOT)));
        final LaunchPlan complete = plan.withRemoteShell(shell).withNetwork(network);
        final List<JobHost> named = hosts();
        return named.isEmpty() ? complete : complete.withHosts(HostMap.of(named, plan.rankCount(), mapBy));
    }
}
