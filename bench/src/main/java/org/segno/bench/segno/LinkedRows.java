package org.segno.bench.segno;

import java.util.ArrayList;
import java.util.List;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.DemoSpikes;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.FigureKind;
import org.segno.bench.experiment.LatencyBesideStream;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.RateSide;
import org.segno.bench.segno.LinkedEnds.End;
import org.segno.bench.segno.Traffic.Kind;
import org.segno.bench.segno.Traffic.Round;

/** Experiments over links of Aeron between two processes, at several lengths of datagrams. */
final class LinkedRows {
    private static final int SHORT_MESSAGE = 64;
    private static final int[] RATE_SIZES = {64, 1024};
    private static final int RANGE = 1 << 20;
    private static final int ROUND = 1_000;

    private final List<Experiment> experiments = new ArrayList<>();
    private final LinkNetwork network;

    private LinkedRows(LinkNetwork network) {
        this.network = network;
    }

    static List<Experiment> experiments(LinkNetwork network) {
        final LinkedRows rows = new LinkedRows(network);
        for (final int mtu : network.mtus()) {
            rows.addMessages(mtu);
            rows.addRanges(mtu);
        }
        rows.addDemos(network.longestMtu());
        return rows.experiments;
    }

    private static String peer(int mtu) {
        return "Segno INVOKER over Aeron, MTU " + mtu;
    }

    private void addMessages(int mtu) {
        add(
                mtu,
                "am_lat",
                SHORT_MESSAGE,
                Experiment.LATENCY,
                (role, directory) -> LinkedEnds.open(
                        new End(network, role, mtu),
                        directory,
                        ends -> new LatencySide(role, SendExchange.over(ends, SHORT_MESSAGE))));
        add(
                mtu,
                "put_lat",
                SHORT_MESSAGE,
                Experiment.LATENCY,
                (role, directory) -> LinkedEnds.open(
                        new End(network, role, mtu),
                        directory,
                        ends -> new LatencySide(role, PutPingPong.over(ends, SHORT_MESSAGE))));
        for (final int size : RATE_SIZES) {
            add(
                    mtu,
                    "am_mr",
                    size,
                    Experiment.MESSAGE_RATE,
                    (role, directory) -> LinkedEnds.open(
                            new End(network, role, mtu),
                            directory,
                            ends -> RateSide.of(role, directory, SendExchange.over(ends, size))));
        }
    }

    private void addRanges(int mtu) {
        add(
                mtu,
                "put_bw",
                RANGE,
                List.of(FigureKind.BANDWIDTH),
                (role, directory) -> LinkedEnds.open(
                        new End(network, role, mtu), directory, ends -> new AnsweredPut(role, ends, RANGE)));
        add(
                mtu,
                "put_replay_done_" + ROUND,
                Long.BYTES,
                Experiment.LATENCY,
                (role, directory) -> LinkedEnds.open(
                        new End(network, role, mtu),
                        directory,
                        ends -> new LatencySide(
                                role,
                                new RoundExchange(Traffic.over(ends, new Round(Kind.PUT, ROUND, Long.BYTES)), true))));
        add(
                mtu,
                "am_lat_beside_put_" + RANGE,
                SHORT_MESSAGE,
                LatencyBesideStream.METRICS,
                (role, directory) -> LinkedEnds.open(
                        new End(network, role, mtu),
                        directory,
                        ends -> BesideStream.over(role, ends, SHORT_MESSAGE, RANGE)));
    }

    /** Adds the demos' exchanges with the datagrams that links use by default. */
    private void addDemos(int mtu) {
        for (final DemoExchange exchange : DemoExchange.values()) {
            add(
                    mtu,
                    exchange.test(),
                    exchange.pieceBytes(),
                    List.of(FigureKind.DONE),
                    (role, directory) -> LinkedEnds.openRound(
                            new End(network, role, mtu),
                            directory,
                            () -> ReplayedPieces.linked(role, directory, exchange),
                            round -> round.node().context()));
        }
        add(
                mtu,
                DemoSpikes.TEST,
                DemoSpikes.SPIKE_BYTES,
                List.of(FigureKind.DONE),
                (role, directory) -> LinkedEnds.openRound(
                        new End(network, role, mtu),
                        directory,
                        () -> SpikeRound.linked(role, directory),
                        SpikeRound::context));
    }

    private void add(int mtu, String test, int size, List<FigureKind> metrics, Experiment.Opener opener) {
        experiments.add(new Experiment(peer(mtu), test, size, metrics, opener));
    }
}
