package org.segno.tools.doctor;

import java.util.List;
import java.util.Optional;

/** Check of the clock source. */
final class ClockCheck implements Check {
    private static final String SOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        final Optional<String> source = host.text(SOURCE);
        if (source.isEmpty()) {
            return List.of(Finding.note("clock", "clock source not visible", "nanoTime may be slow: see --deep"));
        }
        return List.of(
                source.get().equals("tsc")
                        ? Finding.ok("clock", "clock source tsc")
                        : Finding.warning(
                                "clock",
                                "clock source " + source.get(),
                                "nanoTime is slow, and every wait with a deadline calls it",
                                "boot with clocksource=tsc if the TSC is stable; --deep measures nanoTime"));
    }
}
