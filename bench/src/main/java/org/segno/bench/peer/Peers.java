package org.segno.bench.peer;

import java.util.ArrayList;
import java.util.List;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.MixedLengths;
import org.segno.bench.experiment.RateSide;

/** Experiments of this package. */
public final class Peers {
    /** Beginning of the peers that measure bare Aeron over UDP. */
    static final String BARE_LINKS = "Aeron UDP";

    private static final String AERON = "Aeron IPC";
    private static final int TERM_LENGTH = 1 << 20;
    private static final int[] SHORT_SIZES = {8, 64};

    private Peers() {}

    /** Returns the peers' latencies, then their message rates, then replies, mixed lengths and several senders. */
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
        experiments.addAll(replies());
        experiments.addAll(mixedRates());
        experiments.addAll(concurrentRates());
        return experiments;
    }

    /** Returns the experiments of bare Aeron beside which links are measured. */
    public static List<Experiment> linked(LinkNetwork network) {
        return UdpPeers.experiments(network);
    }

    /** Returns true for an experiment of bare Aeron over UDP. */
    public static boolean isBareLink(Experiment experiment) {
        return experiment.peer().startsWith(BARE_LINKS);
    }

    /** Returns the latencies of messages whose handler replies. */
    private static List<Experiment> replies() {
        final List<Experiment> experiments = new ArrayList<>();
        for (final int size : SHORT_SIZES) {
            for (final AgronaRing.Kind kind : AgronaRing.Kind.values()) {
                experiments.add(new Experiment(
                        kind.peer(),
                        "am_reply_lat",
                        size,
                        Experiment.LATENCY,
                        (role, directory) -> new LatencySide(role, AgronaRing.replying(role, directory, kind, size))));
            }
            experiments.add(new Experiment(
                    AERON,
                    "am_reply_lat",
                    size,
                    Experiment.LATENCY,
                    (role, directory) -> new LatencySide(role, AeronIpc.replying(role, directory, size, TERM_LENGTH))));
        }
        return experiments;
    }

    private static List<Experiment> mixedRates() {
        final List<Experiment> experiments = new ArrayList<>();
        for (final AgronaRing.Kind kind : AgronaRing.Kind.values()) {
            experiments.add(new Experiment(
                    kind.peer(),
                    "am_mixed_mr",
                    MixedLengths.mean(),
                    Experiment.MIXED_RATE,
                    (role, directory) -> RateSide.of(role, directory, MixedRing.open(role, directory, kind))));
        }
        experiments.add(new Experiment(
                AERON,
                "am_mixed_mr",
                MixedLengths.mean(),
                Experiment.MIXED_RATE,
                (role, directory) -> RateSide.of(role, directory, MixedAeron.open(role, directory, TERM_LENGTH))));
        return experiments;
    }

    /** Returns the rates of several senders to one receiver. */
    private static List<Experiment> concurrentRates() {
        final List<Experiment> experiments = new ArrayList<>();
        for (final int senders : new int[] {2, 4}) {
            for (final int size : SHORT_SIZES) {
                final String test = "am_senders_" + senders + "_mr";
                experiments.add(new Experiment(
                        AgronaRing.Kind.MANY_TO_ONE.peer(),
                        test,
                        size,
                        Experiment.MESSAGE_RATE,
                        (role, directory) -> ConcurrentRing.open(role, directory, senders, size)));
                for (final boolean exclusive : new boolean[] {false, true}) {
                    experiments.add(new Experiment(
                            exclusive ? AERON : AERON + ", one publication",
                            test,
                            size,
                            Experiment.MESSAGE_RATE,
                            (role, directory) ->
                                    ConcurrentAeron.open(role, directory, senders, size, TERM_LENGTH, exclusive)));
                }
            }
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
