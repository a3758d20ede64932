package org.segno.bench.peer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.FigureKind;
import org.segno.bench.experiment.LatencyBesideStream;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.RateSide;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.peer.AeronUdp.Kind;

/** Experiments of bare Aeron over UDP, at the lengths of datagrams at which Segno's links are measured. */
final class UdpPeers {
    private static final int SHORT_MESSAGE = 64;
    private static final int[] RATE_SIZES = {64, 1024};
    private static final int RANGE = 1 << 20;
    private static final int ROUND = 1_000;
    private static final String ROUND_TEST = "put_replay_done_" + ROUND;

    private final List<Experiment> experiments = new ArrayList<>();

    private UdpPeers() {}

    /** Measurement of an open end. */
    @FunctionalInterface
    private interface Measurement {
        Side of(AeronUdp udp, Role role, Path directory) throws IOException;
    }

    static List<Experiment> experiments(LinkNetwork network) {
        final UdpPeers rows = new UdpPeers();
        for (final int mtu : network.mtus()) {
            final Kind invoked = new Kind(network, mtu, false, 1);
            rows.addMessages(
                    invoked, new Kind(network, mtu, true, 1), new Kind(network, mtu, false, AeronUdp.STREAMS_OF_LINK));
            rows.addRanges(invoked, new Kind(network, mtu, false, 2));
        }
        return rows.experiments;
    }

    /** Adds the rows of messages. A link needs three streams, of which two rest in a ping-pong. */
    private void addMessages(Kind invoked, Kind ownThread, Kind streamsOfLink) {
        for (final Kind kind : List.of(invoked, ownThread, streamsOfLink)) {
            add(
                    kind,
                    kind.peer(),
                    "am_lat",
                    SHORT_MESSAGE,
                    Experiment.LATENCY,
                    (udp, role, directory) -> new LatencySide(role, new UdpMessages(udp, SHORT_MESSAGE)));
        }
        for (final int size : RATE_SIZES) {
            add(
                    invoked,
                    invoked.peer(),
                    "am_mr",
                    size,
                    Experiment.MESSAGE_RATE,
                    (udp, role, directory) -> RateSide.of(role, directory, new UdpMessages(udp, size)));
            add(
                    invoked,
                    invoked.peer().replace(", MTU", ", packed and copied, MTU"),
                    "am_mr",
                    size,
                    Experiment.MESSAGE_RATE,
                    (udp, role, directory) -> RateSide.of(role, directory, new UdpPackedMessages(udp, size)));
        }
    }

    private void addRanges(Kind invoked, Kind twoStreams) {
        final String peer = invoked.peer();
        add(
                invoked,
                peer,
                "put_bw",
                RANGE,
                List.of(FigureKind.BANDWIDTH),
                (udp, role, directory) -> new UdpTransfer(role, udp, RANGE));
        add(
                invoked,
                peer,
                ROUND_TEST,
                Long.BYTES,
                Experiment.LATENCY,
                (udp, role, directory) -> new LatencySide(role, UdpRound.packed(udp, ROUND)));
        final String single = peer.replace(", MTU", ", a message each, MTU");
        add(
                invoked,
                single,
                ROUND_TEST,
                Long.BYTES,
                Experiment.LATENCY,
                (udp, role, directory) -> new LatencySide(role, UdpRound.single(udp, ROUND)));
        add(
                twoStreams,
                peer,
                "am_lat_beside_put_" + RANGE,
                SHORT_MESSAGE,
                LatencyBesideStream.METRICS,
                (udp, role, directory) -> UdpBesideStream.over(role, udp, SHORT_MESSAGE, RANGE));
    }

    private void add(Kind kind, String peer, String test, int size, List<FigureKind> metrics, Measurement measurement) {
        experiments.add(new Experiment(peer, test, size, metrics, (role, directory) -> {
            final AeronUdp udp = AeronUdp.share(role, directory, kind);
            return udp.served(directory, measurement.of(udp, role, directory));
        }));
    }
}
