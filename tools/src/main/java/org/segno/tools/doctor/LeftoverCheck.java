package org.segno.tools.doctor;

import java.io.IOException;
import java.util.List;
import org.segno.engine.job.LeftoverJob;
import org.segno.engine.job.LeftoverJob.State;
import org.segno.tools.output.Quantity;

/** Check for directories that jobs have left, and for a library that sends usage data. */
final class LeftoverCheck implements Check {
    private static final String TELEMETRY = "net/openhft/chronicle/analytics/Analytics.class";

    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        return List.of(jobs(job), telemetry());
    }

    private static Finding jobs(CheckedJob job) {
        try {
            final List<LeftoverJob> found = LeftoverJob.in(job.parent());
            final List<LeftoverJob> ended = found.stream()
                    .filter(leftover -> leftover.state() == State.ENDED || leftover.state() == State.KEPT)
                    .toList();
            final long bytes = ended.stream().mapToLong(LeftoverJob::bytes).sum();
            if (ended.isEmpty()) {
                return Finding.ok("stale-jobs", "no stale jobs in " + job.parent());
            }
            final String measured =
                    Quantity.of(ended.size(), "stale job") + " in " + job.parent() + ", " + Quantity.ofBytes(bytes);
            return ended.stream().allMatch(leftover -> leftover.state() == State.KEPT)
                    ? Finding.note("stale-jobs", measured + ", kept", "segno clean --all removes kept directories")
                    : Finding.warning("stale-jobs", measured, "they take room from the next job", "segno clean");
        } catch (final IOException e) {
            return Finding.note("stale-jobs", job.parent() + " cannot be read: " + e, "stale jobs cannot be found");
        }
    }

    private static Finding telemetry() {
        return LeftoverCheck.class.getClassLoader().getResource(TELEMETRY) == null
                ? Finding.ok("telemetry", "no telemetry library on the class path")
                : Finding.warning(
                        "telemetry",
                        "chronicle-analytics is on the class path",
                        "it sends usage data",
                        "exclude net.openhft:chronicle-analytics, or set -Dchronicle.analytics.disable=true");
    }
}
