package org.segno.tools.doctor;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Check of huge pages for mapped files, which are optional. */
final class HugePageCheck implements Check {
    private static final Pattern CHOSEN = Pattern.compile("\\[(\\w+)]");
    private static final Pattern FREE = Pattern.compile("HugePages_Free:\\s+(\\d+)");

    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        final Matcher shmem = CHOSEN.matcher(
                host.text("/sys/kernel/mm/transparent_hugepage/shmem_enabled").orElse(""));
        final Matcher free = FREE.matcher(host.text("/proc/meminfo").orElse(""));
        final String enabled = shmem.find() ? shmem.group(1) : "not visible";
        final String reserved = free.find() ? free.group(1) : "0";
        final String measured = (reserved.equals("0") ? "no huge pages reserved" : reserved + " huge pages free")
                + ", shmem_enabled=" + enabled;
        return List.of(
                enabled.equals("always") || enabled.equals("force") || !reserved.equals("0")
                        ? Finding.ok("huge-pages", measured)
                        : Finding.note("huge-pages", measured, "large windows need many entries of the TLB; optional"));
    }
}
