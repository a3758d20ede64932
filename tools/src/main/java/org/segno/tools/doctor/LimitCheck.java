package org.segno.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.segno.tools.output.Quantity;

/** Check of the limits of locked memory, open files and mappings of a process. */
final class LimitCheck implements Check {
    /** Files that a JVM opens in addition to the node files. */
    private static final int FILES_OF_A_JVM = 256;

    /** Mappings that a JVM has in addition to those of the nodes. */
    private static final int MAPPINGS_OF_A_JVM = 4096;

    private static final int MAPPINGS_PER_NODE = 3;
    private static final long SMALL_LOCK = 64L << 20;

    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        final String limits = host.text("/proc/self/limits").orElse("");
        final List<Finding> findings = new ArrayList<>();
        findings.add(locked(limit(limits, "Max locked memory")));
        findings.add(files(limit(limits, "Max open files"), job.ranks() + FILES_OF_A_JVM));
        final long needed = (long) MAPPINGS_PER_NODE * job.ranks() + MAPPINGS_OF_A_JVM;
        final Optional<Long> mappings = host.number("/proc/sys/vm/max_map_count");
        findings.add(mappings.map(count -> count < needed
                        ? Finding.warning(
                                "map-count",
                                "vm.max_map_count " + count,
                                "each rank maps every node: about " + needed + " mappings",
                                "sysctl vm.max_map_count=262144")
                        : Finding.ok("map-count", "vm.max_map_count " + count))
                .orElse(Finding.note("map-count", "vm.max_map_count not visible", "many ranks need many mappings")));
        return findings;
    }

    /** Returns the soft limit, below zero for unlimited; empty if it is not visible. */
    private static Optional<Long> limit(String limits, String name) {
        final Matcher line =
                Pattern.compile(name + "\\s+(\\d{1,18}|unlimited)\\s").matcher(limits);
        return line.find()
                ? Optional.of(line.group(1).equals("unlimited") ? -1L : Long.parseLong(line.group(1)))
                : Optional.empty();
    }

    private static Finding locked(Optional<Long> limit) {
        if (limit.isEmpty()) {
            return Finding.note(
                    "locked-memory", "limit of locked memory not visible", "it matters only if you lock regions");
        }
        return limit.get() < 0 || limit.get() >= SMALL_LOCK
                ? Finding.ok(
                        "locked-memory",
                        "locked memory " + (limit.get() < 0 ? "unlimited" : Quantity.ofBytes(limit.get())))
                : Finding.warning(
                        "locked-memory",
                        "locked memory limit " + Quantity.ofBytes(limit.get()),
                        "windows larger than this cannot be locked",
                        "raise it with ulimit -l if you lock regions");
    }

    private static Finding files(Optional<Long> limit, long needed) {
        if (limit.isEmpty()) {
            return Finding.note("open-files", "limit of open files not visible", "each rank opens every node's file");
        }
        return limit.get() < 0 || limit.get() >= needed
                ? Finding.ok("open-files", "open files " + (limit.get() < 0 ? "unlimited" : limit.get()))
                : Finding.warning(
                        "open-files",
                        "open files limit " + limit.get(),
                        "each rank opens every node's file: about " + needed,
                        "raise it with ulimit -n");
    }
}
