package org.segno.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Something to measure between two processes.
 *
 * @param peer whose figures these are: a project, a way of using it, or a limit of the machine
 * @param test what is measured: {@code am_lat}, {@code am_mr}, {@code put_lat}, {@code put_bw}, {@code get_lat} and so on
 * @param size payload of one message in bytes
 * @param metrics what each slice yields, at most {@link Figures#LIMIT}
 * @param opener how each end is made
 */
public record Experiment(String peer, String test, int size, List<Metric> metrics, Opener opener) {
    /** Metrics of a ping-pong. */
    public static final List<Metric> LATENCY = List.of(Metric.P50, Metric.P99);

    /** Metrics of a one-way stream. */
    public static final List<Metric> MESSAGE_RATE = List.of(Metric.RATE);

    /** Checks the number of metrics. */
    public Experiment {
        metrics = List.copyOf(metrics);
        if (metrics.isEmpty() || metrics.size() > Figures.LIMIT) {
            throw new IllegalArgumentException("an experiment has 1 to " + Figures.LIMIT + " metrics: " + metrics);
        }
    }

    /** Returns the name that is shown and that {@code --only} is matched against. */
    public String name() {
        return peer + " " + test + " " + size;
    }

    /** Makes one end. Both ends are made at the same time, in two processes. */
    @FunctionalInterface
    public interface Opener {
        /**
         * Makes one end, with every page touched.
         *
         * @param role which end
         * @param directory exists, is empty at start, and belongs to this experiment alone
         */
        Side open(Role role, Path directory) throws IOException;
    }
}
