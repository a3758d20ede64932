package org.segno.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Check of governor, turbo, isolated cores, threads per core and memory nodes. Most of them are not visible in a
 * virtual machine.
 */
final class ProcessorCheck implements Check {
    private static final String CPU = "/sys/devices/system/cpu/";

    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        final List<Finding> findings = new ArrayList<>();
        findings.add(governor(host.text(CPU + "cpu0/cpufreq/scaling_governor")));
        findings.add(turbo(host));
        final Optional<String> isolated = host.text(CPU + "isolated").filter(text -> !text.isEmpty());
        findings.add(isolated.map(cores -> Finding.ok("isolated", "isolated cores " + cores))
                .orElse(Finding.note(
                        "isolated",
                        "no isolated cores",
                        "other threads interrupt ranks, which the highest percentiles show")));
        findings.add(
                host.text(CPU + "smt/active").orElse("0").equals("1")
                        ? Finding.note("smt", "cores have two threads each", "two spinning threads on a core share it")
                        : Finding.ok("smt", "one thread per core, or not visible"));
        final String nodes = host.text("/sys/devices/system/node/online").orElse("0");
        findings.add(
                nodes.equals("0")
                        ? Finding.ok("numa", "one memory node")
                        : Finding.note("numa", "memory nodes " + nodes, "memory of another node is farther away"));
        return findings;
    }

    private static Finding governor(Optional<String> governor) {
        if (governor.isEmpty()) {
            return Finding.note(
                    "governor",
                    "CPU governor not visible (virtual machine or container)",
                    "absolute latency is not comparable with bare metal");
        }
        return governor.get().equals("performance")
                ? Finding.ok("governor", "CPU governor performance")
                : Finding.warning(
                        "governor",
                        "CPU governor " + governor.get(),
                        "clocks change with the load",
                        "cpupower frequency-set -g performance");
    }

    private static Finding turbo(Host host) {
        final Optional<String> off = host.text(CPU + "intel_pstate/no_turbo")
                .or(() -> host.text(CPU + "cpufreq/boost").map(boost -> boost.equals("1") ? "0" : "1"));
        if (off.isEmpty()) {
            return Finding.note("turbo", "turbo not visible", "clocks may change with heat");
        }
        return off.get().equals("1")
                ? Finding.ok("turbo", "turbo off")
                : Finding.note("turbo", "turbo on", "clocks change with heat: figures of two runs may differ");
    }
}
