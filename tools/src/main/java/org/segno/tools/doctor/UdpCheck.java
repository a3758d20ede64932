package org.segno.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Check of the buffers of UDP sockets against Aeron's window, for jobs on several hosts. */
final class UdpCheck implements Check {
    private static final long WINDOW = 128 << 10;

    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        final List<Finding> findings = new ArrayList<>();
        for (final String name : List.of("rmem_max", "wmem_max")) {
            final Optional<Long> bytes = host.number("/proc/sys/net/core/" + name);
            final String check = "udp-" + name;
            final String measured = "net.core." + name + " "
                    + bytes.map(count -> count / 1024 + " KiB").orElse("not visible") + " (Aeron window 128 KiB)";
            if (bytes.isEmpty()) {
                findings.add(Finding.note(check, measured, "it matters only for jobs on several hosts"));
            } else if (bytes.get() < WINDOW) {
                findings.add(Finding.warning(
                        check,
                        measured,
                        "packets would be lost between hosts; jobs on one host do not need it",
                        "sysctl net.core." + name + "=4194304"));
            } else {
                findings.add(Finding.ok(check, measured));
            }
        }
        return findings;
    }
}
