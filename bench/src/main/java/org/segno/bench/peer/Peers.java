package org.segno.bench.peer;

import java.util.ArrayList;
import java.util.List;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.RateSide;

/** Experiments of this package. */
public final class Peers {
    private static final String AERON = "Aeron IPC";
    private static final int TERM_LENGTH = 1 << 20;

    private Peers() {}

    /** Returns the peers' latencies, then their message rates. */
    public static List<Experiment> experiments() {
        final List<Experiment> experiments = new ArrayList<>();
        for (final int size : new int[] {8, 64, 512, 4096}) {
            for (final AgronaRing.Kind kind : AgronaRing.Kind.values()) {
                experiments.add(ringLatency(kind, size));
            }
            experiments.add(new Experiment(
                    AERON,
                    "am_lat",
                    size,
                    Experiment.LATENCY,
                    (role, directory) -> new LatencySide(role, AeronIpc.open(role, directory, size, TERM_LENGTH))));
        }
        for (final int size : new int[] {8, 64}) {
            for (final AgronaRing.Kind kind : AgronaRing.Kind.values()) {
                experiments.add(ringRate(kind, size));
            }
            experiments.add(new Experiment(
                    AERON,
                    "am_mr",
                    size,
                    Experiment.MESSAGE_RATE,
                    (role, directory) ->
                            RateSide.of(role, directory, AeronIpc.open(role, directory, size, TERM_LENGTH))));
        }
        return experiments;
    }

    private static Experiment ringLatency(AgronaRing.Kind kind, int size) {
        return new Experiment(
                kind.peer(),
                "am_lat",
                size,
                Experiment.LATENCY,
                (role, directory) -> new LatencySide(role, AgronaRing.open(role, directory, kind, size)));
    }

    private static Experiment ringRate(AgronaRing.Kind kind, int size) {
        return new Experiment(
                kind.peer(),
                "am_mr",
                size,
                Experiment.MESSAGE_RATE,
                (role, directory) -> RateSide.of(role, directory, AgronaRing.open(role, directory, kind, size)));
    }
}
