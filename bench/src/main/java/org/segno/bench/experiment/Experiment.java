package org.segno.bench.experiment;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * One experiment between two processes.
 *
 * @param peer owner of the figures: a project, a way of using it, or a limit of the machine
 * @param test kind of the test: {@code am_lat}, {@code am_mr}, {@code put_lat}, {@code put_bw}, {@code get_lat} and so
 *     on
 * @param size payload of one message in bytes
 * @param metrics metrics of each slice, at most {@link SliceFigures#LIMIT}
 * @param opener factory of each end
 */
public record Experiment(String peer, String test, int size, List<FigureKind> metrics, Opener opener) {
    /** Metrics of a ping-pong. */
    public static final List<FigureKind> LATENCY = List.of(FigureKind.P50, FigureKind.P99);

    /** Metrics of a one-way stream. */
    public static final List<FigureKind> MESSAGE_RATE = List.of(FigureKind.RATE);

    /** Metrics of a one-way stream of messages whose mean length is the experiment's size. */
    public static final List<FigureKind> MIXED_RATE = List.of(FigureKind.RATE, FigureKind.BANDWIDTH);

    /** Checks the number of metrics. */
    public Experiment {
        metrics = List.copyOf(metrics);
        if (metrics.isEmpty() || metrics.size() > SliceFigures.LIMIT) {
            throw new IllegalArgumentException(
                    "an experiment must have 1 to " + SliceFigures.LIMIT + " metrics: " + metrics);
        }
    }

    /** Returns the name that is printed and that {@code --only} is matched against. */
    public String name() {
        return peer + " " + test + " " + size;
    }

    /** Factory of the two ends, which are opened at the same time in two processes. */
    @FunctionalInterface
    public interface Opener {
        /**
         * Opens one end, with every page touched.
         *
         * @param role which end
         * @param directory existing directory, empty at start and used by this experiment alone
         */
        Side open(Role role, Path directory) throws IOException;
    }
}
