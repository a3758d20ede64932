package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.DemoSpikes;
import org.segno.bench.experiment.CacheLine;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.FigureKind;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.MixedLengths;
import org.segno.bench.experiment.Overlap;
import org.segno.bench.experiment.RateSide;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.RoundSide;
import org.segno.bench.experiment.ServedSide;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.TransferCost;
import org.segno.bench.experiment.TransferTime;
import org.segno.bench.limit.BareHandOver.Answer;
import org.segno.bench.udp.JoinedLink;
import org.segno.bench.udp.LinkMessages;
import org.segno.bench.udp.LinkStream;
import org.segno.bench.udp.LinkTransfer;

/** Experiments of this package. */
public final class LimitExperiments {
    private static final int RING_RECORDS = 16 * 1024;
    private static final int PAGE_LENGTH = 4096;
    private static final int SHORT_MESSAGE = 64;
    private static final int RANGE = 1 << 20;
    private static final String LINKS = "limit: link without an engine";

    private LimitExperiments() {}

    /** Returns the limits of links, which are links without engines. */
    public static List<Experiment> linked(LinkNetwork network) {
        final List<Experiment> experiments = new ArrayList<>();
        for (final int mtu : network.mtus()) {
            final String peer = LINKS + ", MTU " + mtu;
            experiments.add(new Experiment(peer, "am_lat", SHORT_MESSAGE, Experiment.LATENCY, (role, directory) -> {
                final JoinedLink link = JoinedLink.open(role, directory, network, mtu, SHORT_MESSAGE);
                final Side side = new LatencySide(role, new LinkMessages(link, SHORT_MESSAGE));
                return ServedSide.of(role, directory, side, link);
            }));
            for (final int size : new int[] {SHORT_MESSAGE, 1024}) {
                experiments.add(new Experiment(peer, "am_mr", size, Experiment.MESSAGE_RATE, (role, directory) -> {
                    final JoinedLink link = JoinedLink.open(role, directory, network, mtu, size);
                    final Side side = RateSide.of(role, directory, new LinkStream(link, size));
                    return ServedSide.of(role, directory, side, link);
                }));
            }
            final List<FigureKind> bandwidth = List.of(FigureKind.BANDWIDTH);
            experiments.add(new Experiment(peer, "put_bw", RANGE, bandwidth, (role, directory) -> {
                final JoinedLink link = JoinedLink.open(role, directory, network, mtu, RANGE);
                return ServedSide.of(role, directory, new LinkTransfer(role, link, RANGE), link);
            }));
        }
        return experiments;
    }

    /** Returns true for a limit of links. */
    public static boolean isLink(Experiment experiment) {
        return experiment.peer().startsWith(LINKS);
    }

    /** Returns the limits of this machine, most basic first. */
    public static List<Experiment> experiments() {
        final List<Experiment> experiments = new ArrayList<>();
        experiments.add(new Experiment(
                "limit: the probe itself", "am_lat", Long.BYTES, Experiment.LATENCY, LimitExperiments::cacheLine));
        for (final int size : new int[] {8, 64, 512, 4096}) {
            experiments.add(new Experiment(
                    "limit: copy and flag",
                    "am_lat",
                    size,
                    Experiment.LATENCY,
                    (role, directory) -> copyAndFlag(role, directory, size)));
        }
        for (final int size : new int[] {8, 64}) {
            experiments.add(new Experiment(
                    "limit: bare packed ring",
                    "am_mr",
                    size,
                    Experiment.MESSAGE_RATE,
                    (role, directory) -> RateSide.of(
                            role, directory, PackedRing.open(role, directory.resolve("ring"), size, RING_RECORDS))));
        }
        for (final int size : new int[] {64 * 1024, 1024 * 1024, 16 * 1024 * 1024}) {
            experiments.add(new Experiment(
                    "limit: plain copy",
                    "put_bw",
                    size,
                    List.of(FigureKind.BANDWIDTH),
                    (role, directory) -> PlainCopy.open(role, directory, size)));
        }
        addReplays(experiments);
        addHandOvers(experiments);
        for (final DemoExchange exchange : DemoExchange.values()) {
            experiments.add(new Experiment(
                    "limit: bare copies",
                    exchange.test(),
                    exchange.pieceBytes(),
                    List.of(FigureKind.DONE),
                    (role, directory) -> new RoundSide(role, BareMoves.open(role, directory, exchange))));
        }
        experiments.add(new Experiment(
                "limit: bare packed rings",
                DemoSpikes.TEST,
                DemoSpikes.SPIKE_BYTES,
                List.of(FigureKind.DONE),
                (role, directory) -> new RoundSide(role, BareSpikes.open(role, directory))));
        addMixed(experiments);
        addInjections(experiments);
        addNeighbours(experiments);
        return experiments;
    }

    /** Adds rings of the length of Segno's lanes and of the peers' rings. */
    private static void addMixed(List<Experiment> experiments) {
        for (final int capacity : new int[] {256 * 1024, 1024 * 1024}) {
            experiments.add(new Experiment(
                    "limit: bare packed ring, " + capacity / 1024 + " KiB",
                    "am_mixed_mr",
                    MixedLengths.mean(),
                    Experiment.MIXED_RATE,
                    (role, directory) -> RateSide.of(
                            role, directory, BareMixedRing.open(role, directory.resolve("ring"), capacity))));
        }
    }

    private static void addInjections(List<Experiment> experiments) {
        final int count = 1_000;
        final String peer = "limit: bare injection";
        experiments.add(new Experiment(
                peer,
                "put_inject_done_" + count,
                Long.BYTES,
                Experiment.LATENCY,
                (role, directory) -> new LatencySide(role, BareInjection.open(role, directory, count))));
        experiments.add(new Experiment(
                peer,
                "put_inject_start_" + count,
                Long.BYTES,
                List.of(FigureKind.COST),
                (role, directory) -> new BareInjectionCost(role, BareInjection.open(role, directory, count))));
    }

    private static void addNeighbours(List<Experiment> experiments) {
        for (final int neighbours : new int[] {2, 8, 26}) {
            experiments.add(new Experiment(
                    "limit: bare stores",
                    "many_to_many_replay_" + neighbours,
                    Long.BYTES,
                    List.of(FigureKind.DONE),
                    (role, directory) -> new RoundSide(role, BareNeighbours.open(role, directory, neighbours))));
        }
    }

    private static void addHandOvers(List<Experiment> experiments) {
        final String peer = "limit: bare hand-over";
        experiments.add(new Experiment(
                peer,
                "put_call",
                Long.BYTES,
                List.of(FigureKind.COST),
                (role, directory) ->
                        BareHandOver.open(role, directory, Long.BYTES, Answer.OWN_LINE, TransferCost::of)));
        for (final Answer answer : Answer.values()) {
            experiments.add(new Experiment(
                    answer == Answer.OWN_LINE ? peer : peer + ", one line",
                    "put_seen",
                    Long.BYTES,
                    TransferTime.METRICS,
                    (role, directory) -> BareHandOver.open(role, directory, Long.BYTES, answer, TransferTime::new)));
        }
        for (final int size : Overlap.SIZES) {
            experiments.add(new Experiment(
                    peer,
                    "put_overlap",
                    size,
                    Overlap.METRICS,
                    (role, directory) -> BareHandOver.open(role, directory, size, Answer.OWN_LINE, Overlap::new)));
        }
    }

    private static void addReplays(List<Experiment> experiments) {
        experiments.add(new Experiment(
                "limit: bare descriptor loop",
                "put_lat",
                Long.BYTES,
                Experiment.LATENCY,
                (role, directory) -> new LatencySide(role, BarePut.open(role, directory, 1, Long.BYTES, true))));
        for (final int count : new int[] {1, 10, 100, 1_000, 10_000}) {
            experiments.add(new Experiment(
                    "limit: bare descriptor loop",
                    "put_replay_done_" + count,
                    Long.BYTES,
                    Experiment.LATENCY,
                    (role, directory) ->
                            new LatencySide(role, BarePut.open(role, directory, count, Long.BYTES, false))));
            experiments.add(new Experiment(
                    "limit: bare descriptor loop",
                    "send_replay_done_" + count,
                    Long.BYTES,
                    Experiment.LATENCY,
                    (role, directory) -> new LatencySide(role, BareSend.open(role, directory, count))));
            for (final BareStart.Place place : BareStart.Place.values()) {
                experiments.add(new Experiment(
                        "limit: bare start" + (place == BareStart.Place.ADJACENT ? "" : ", scattered"),
                        "put_replay_start_" + count,
                        Long.BYTES,
                        List.of(FigureKind.COST),
                        (role, directory) -> BareStart.open(role, directory, count, place)));
            }
        }
    }

    private static Side cacheLine(Role role, Path directory) throws IOException {
        final MappedBlock block = MappedBlock.share(role, directory.resolve("lines"), PAGE_LENGTH);
        return new LatencySide(role, new CacheLine(block, 0));
    }

    private static Side copyAndFlag(Role role, Path directory, int size) throws IOException {
        final int slot = CopyAndFlag.slotLength(size);
        final MappedBlock block = MappedBlock.share(role, directory.resolve("slots"), 2 * slot);
        final MappedBlock own = MappedBlock.make(directory.resolve("own-" + role), slot);
        return new LatencySide(role, new CopyAndFlag(role, block, own, size));
    }
}
