package org.segno.bench.segno;

import java.util.ArrayList;
import java.util.List;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.FigureKind;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.RateSide;
import org.segno.bench.segno.Traffic.Kind;
import org.segno.bench.segno.Traffic.Round;

/** Experiments over links of Aeron between two processes, at several lengths of datagrams. */
final class LinkedRows {
    private static final int[] MTUS = {1408, 8192, 65_504};
    private static final int SHORT_MESSAGE = 64;
    private static final int[] RATE_SIZES = {64, 1024};
    private static final int RANGE = 1 << 20;
    private static final int ROUND = 1_000;

    private LinkedRows() {}

    static List<Experiment> experiments() {
        final List<Experiment> rows = new ArrayList<>();
        for (final int mtu : MTUS) {
            final String peer = "Segno INVOKER over Aeron, MTU " + mtu;
            rows.add(new Experiment(
                    peer,
                    "am_lat",
                    SHORT_MESSAGE,
                    Experiment.LATENCY,
                    (role, directory) -> LinkedEnds.open(
                            role,
                            directory,
                            mtu,
                            ends -> new LatencySide(role, SendExchange.over(ends, SHORT_MESSAGE)))));
            rows.add(new Experiment(
                    peer,
                    "put_lat",
                    SHORT_MESSAGE,
                    Experiment.LATENCY,
                    (role, directory) -> LinkedEnds.open(
                            role,
                            directory,
                            mtu,
                            ends -> new LatencySide(role, PutPingPong.over(ends, SHORT_MESSAGE)))));
            for (final int size : RATE_SIZES) {
                rows.add(new Experiment(
                        peer,
                        "am_mr",
                        size,
                        Experiment.MESSAGE_RATE,
                        (role, directory) -> LinkedEnds.open(
                                role,
                                directory,
                                mtu,
                                ends -> RateSide.of(role, directory, SendExchange.over(ends, size)))));
            }
            rows.add(new Experiment(
                    peer,
                    "put_bw",
                    RANGE,
                    List.of(FigureKind.BANDWIDTH),
                    (role, directory) ->
                            LinkedEnds.open(role, directory, mtu, ends -> new AnsweredPut(role, ends, RANGE))));
            rows.add(new Experiment(
                    peer,
                    "put_replay_done_" + ROUND,
                    Long.BYTES,
                    Experiment.LATENCY,
                    (role, directory) -> LinkedEnds.open(
                            role,
                            directory,
                            mtu,
                            ends -> new LatencySide(
                                    role,
                                    new RoundExchange(
                                            Traffic.over(ends, new Round(Kind.PUT, ROUND, Long.BYTES)), true)))));
        }
        return rows;
    }
}
