package org.segno.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.segno.tools.output.Quantity;

/** Check of the JDK, of the flag that the engine needs, and of the limits of a container. */
final class RuntimeCheck implements Check {
    private static final String FLAG = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";

    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        final List<Finding> findings = new ArrayList<>();
        final String jdk = "JDK " + System.getProperty("java.version");
        final boolean exported =
                Object.class.getModule().isExported("jdk.internal.misc", RuntimeCheck.class.getModule());
        findings.add(
                exported
                        ? Finding.ok("jdk", jdk + ", export of jdk.internal.misc present")
                        : Finding.failure(
                                "jdk",
                                jdk + " without the export of jdk.internal.misc",
                                "the engine cannot reach its memory",
                                "add " + FLAG));
        findings.add(cpu(host));
        findings.add(memory(host));
        return findings;
    }

    private static Finding cpu(Host host) {
        final String[] limit = host.text("/sys/fs/cgroup/cpu.max").orElse("").split(" ", 2);
        if (limit.length < 2 || !limit[0].matches("\\d{1,18}") || !limit[1].matches("[1-9]\\d{0,17}")) {
            return Finding.ok("container-cpu", "no limit of CPU time, " + Quantity.of(host.cores(), "core"));
        }
        final double share = Double.parseDouble(limit[0]) / Long.parseLong(limit[1]);
        final String measured = String.format(Locale.ROOT, "CPU time limited to %.1f cores", share);
        return Finding.warning(
                "container-cpu",
                measured,
                "spinning threads use it up and are then throttled for the rest of each period",
                "give the container whole cores (--cpuset-cpus), or fewer ranks");
    }

    private static Finding memory(Host host) {
        return host.number("/sys/fs/cgroup/memory.max")
                .map(limit -> Finding.note(
                        "container-memory",
                        "memory limited to " + Quantity.ofBytes(limit),
                        "heaps and node files count against it"))
                .orElse(Finding.ok("container-memory", "no limit of memory"));
    }
}
