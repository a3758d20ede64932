package org.segno.bench.peer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.FigureKind;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.RateSide;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;

/** Experiments of bare Aeron over UDP, at the lengths of datagrams at which Segno's links are measured. */
final class UdpPeers {
    private static final int[] MTUS = {1408, 8192, 65_504};
    private static final int SHORT_MESSAGE = 64;
    private static final int[] RATE_SIZES = {64, 1024};
    private static final int RANGE = 1 << 20;
    private static final int ROUND = 1_000;

    private final List<Experiment> experiments = new ArrayList<>();

    private UdpPeers() {}

    /** Measurement of an open end. */
    @FunctionalInterface
    private interface Measurement {
        Side of(AeronUdp udp, Role role, Path directory) throws IOException;
    }

    static List<Experiment> experiments() {
        final UdpPeers rows = new UdpPeers();
        for (final int mtu : MTUS) {
            final AeronUdp.Kind invoked = new AeronUdp.Kind(mtu, false);
            rows.addLatency(invoked);
            rows.addLatency(new AeronUdp.Kind(mtu, true));
            for (final int size : RATE_SIZES) {
                rows.add(
                        invoked,
                        "am_mr",
                        size,
                        Experiment.MESSAGE_RATE,
                        (udp, role, directory) -> RateSide.of(role, directory, new UdpMessages(udp, size)));
            }
            rows.add(
                    invoked,
                    "put_bw",
                    RANGE,
                    List.of(FigureKind.BANDWIDTH),
                    (udp, role, directory) -> new UdpTransfer(role, udp, RANGE));
            rows.add(
                    invoked,
                    "put_replay_done_" + ROUND,
                    Long.BYTES,
                    Experiment.LATENCY,
                    (udp, role, directory) -> new LatencySide(role, new UdpRound(udp, ROUND)));
        }
        return rows.experiments;
    }

    private void addLatency(AeronUdp.Kind kind) {
        add(
                kind,
                "am_lat",
                SHORT_MESSAGE,
                Experiment.LATENCY,
                (udp, role, directory) -> new LatencySide(role, new UdpMessages(udp, SHORT_MESSAGE)));
    }

    private void add(AeronUdp.Kind kind, String test, int size, List<FigureKind> metrics, Measurement measurement) {
        experiments.add(new Experiment(kind.peer(), test, size, metrics, (role, directory) -> {
            final AeronUdp udp = AeronUdp.share(role, directory, kind);
            return udp.served(directory, measurement.of(udp, role, directory));
        }));
    }
}
