package org.segno.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.segno.transport.aeron.HostLinks;

/** Check of the limit of the buffers of UDP sockets, for jobs on several hosts. Windows of links shrink with them. */
final class UdpCheck implements Check {
    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        final List<Finding> findings = new ArrayList<>();
        for (final String name : List.of("rmem_max", "wmem_max")) {
            final Optional<Long> bytes = host.number("/proc/sys/net/core/" + name);
            final String check = "udp-" + name;
            final String measured = "net.core." + name + " "
                    + bytes.map(count -> count / 1024 + " KiB").orElse("not visible") + " (links ask for "
                    + HostLinks.WANTED_SOCKET_BYTES / 1024 + " KiB)";
            if (bytes.isEmpty()) {
                findings.add(Finding.note(check, measured, "it matters only for jobs on several hosts"));
            } else if (bytes.get() < HostLinks.WANTED_SOCKET_BYTES) {
                findings.add(Finding.note(
                        check,
                        measured,
                        "long messages between hosts are slower; for more, sysctl net.core." + name + "=4194304"));
            } else {
                findings.add(Finding.ok(check, measured));
            }
        }
        return findings;
    }
}
