package org.segno.tools.doctor;

import java.util.List;
import org.segno.tools.output.Quantity;

/** Check of the number of cores against the threads that would spin on them. */
final class CoreCheck implements Check {
    private static final String CHECK = "cores";

    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        final String ranks = Quantity.of(job.ranks(), "rank");
        final String cores = Quantity.of(host.cores(), "core");
        if (job.ranks() > host.cores()) {
            return List.of(Finding.warning(
                    CHECK,
                    ranks + " would share " + cores,
                    "a waiting rank must yield its core, so a message waits for the scheduler",
                    "use -n " + host.cores() + " for latency; otherwise do nothing, as ranks yield by themselves"));
        }
        final boolean dedicated = host.cores() / job.ranks() >= 2;
        return List.of(Finding.ok(
                CHECK,
                ranks + " on " + cores + (dedicated ? ", an engine thread each" : ", a waiting rank runs the engine")));
    }
}
