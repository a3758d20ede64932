package org.segno.bench.segno;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.DemoSpikes;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.FigureKind;
import org.segno.bench.experiment.LatencySide;
import org.segno.bench.experiment.LinkNetwork;
import org.segno.bench.experiment.MixedLengths;
import org.segno.bench.experiment.Overlap;
import org.segno.bench.experiment.RateSide;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.RoundSide;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.TransferCost;
import org.segno.bench.experiment.TransferTime;
import org.segno.bench.segno.Traffic.Kind;
import org.segno.bench.segno.Traffic.Round;
import org.segno.node.NodeConfig.Threading;

/** Experiments of this package. */
public final class SegnoExperiments {
    private static final int[] MESSAGE_COUNTS = {1, 10, 100, 1_000, 10_000};
    private static final int[] NEIGHBOURS = {2, 8, 26};

    /** Bytes of messages for the tests in which a hundred are replayed and injected. */
    private static final int[] REPLAYED_SIZES = {64, 256, 1024, 4096};

    private static final int REPLAYED_COUNT = 100;

    /** Bytes of a PUT, and number of short ones, between two ranks of one thread. */
    private static final int LINKED_BYTES = 64 * 1024;

    private static final int LINKED_COUNT = 1_000;
    private static final int PAGE_LENGTH = 4096;

    private static final String INVOKER = "Segno INVOKER";
    private static final String DEDICATED = "Segno DEDICATED";

    /** Bytes of messages that are replied to, and of those of concurrent senders. */
    private static final int[] REPLY_SIZES = {8, 64};

    /** Bytes of ranges that are delivered by loans and by puts. */
    private static final int[] DELIVERED_SIZES = {64 * 1024, 256 * 1024, 1024 * 1024, 4 * 1024 * 1024};

    private static final List<FigureKind> COST = List.of(FigureKind.COST);
    private static final List<FigureKind> DONE = List.of(FigureKind.DONE);

    private final List<Experiment> experiments = new ArrayList<>();

    private SegnoExperiments() {}

    /**
     * Returns latencies, rates and bandwidths of all threadings; then the effects of idle resources, posted work and
     * favoured FIFOs; then replay beside injection; then concurrent senders, the demos' exchanges, and mapped memory
     * beside links.
     *
     * @param freeCores true if each engine with a thread of its own has a core of its own
     */
    public static List<Experiment> experiments(boolean freeCores) {
        final SegnoExperiments rows = new SegnoExperiments();
        rows.addMessages(Threading.INVOKER, INVOKER);
        rows.addMessages(Threading.DEDICATED, freeCores ? DEDICATED : DEDICATED + ", one core");
        rows.addRepliesAndMix(Threading.INVOKER, INVOKER);
        rows.addRepliesAndMix(Threading.DEDICATED, freeCores ? DEDICATED : DEDICATED + ", one core");
        rows.addOneSided(Threading.INVOKER, INVOKER);
        rows.addOneSided(Threading.DEDICATED, DEDICATED);
        rows.addJoint(JointPair.Kind.SHARED, "Segno SHARED");
        rows.addOneThread(JointPair.Kind.ONE_THREAD, "Segno INVOKER, one thread");
        rows.addOneThread(JointPair.Kind.LINKED, "Segno INVOKER, one thread, link");
        rows.addBesideIdle(Threading.INVOKER, INVOKER, IdleResources.Kind.values());
        rows.add(INVOKER, "post", 0, List.of(FigureKind.COST, FigureKind.DONE), PostedWork::open);
        rows.addShares(INVOKER);
        rows.addReplays(Threading.INVOKER, INVOKER);
        if (freeCores) {
            rows.addReplays(Threading.DEDICATED, DEDICATED);
        }
        rows.addConcurrentSenders(Threading.INVOKER, INVOKER);
        rows.addDemos(Threading.INVOKER, INVOKER);
        if (freeCores) {
            rows.addBesideIdle(Threading.DEDICATED, DEDICATED, IdleResources.OF_ONE_RANK);
            rows.addConcurrentSenders(Threading.DEDICATED, DEDICATED);
            rows.addDemos(Threading.DEDICATED, DEDICATED);
        }
        rows.add(
                INVOKER + " beside links",
                "put_lat",
                Long.BYTES,
                Experiment.LATENCY,
                (role, directory) -> MixedJob.open(role, directory, Long.BYTES));
        return rows.experiments;
    }

    /** Returns the experiments over links. */
    public static List<Experiment> linked(LinkNetwork network) {
        return LinkedRows.experiments(network);
    }

    private void addMessages(Threading threading, String peer) {
        for (final int size : new int[] {8, 64, 512, 4096}) {
            add(peer, "am_lat", size, Experiment.LATENCY, (role, directory) -> {
                final SendExchange sends = SendExchange.open(role, directory, threading, size);
                return new GatedSide(new LatencySide(role, sends), sends.ends());
            });
            add(peer, "put_lat", size, Experiment.LATENCY, (role, directory) -> {
                final PutPingPong puts = PutPingPong.open(role, directory, threading, size);
                return new GatedSide(new LatencySide(role, puts), puts.ends());
            });
        }
        add(peer + ", beside its count", "put_lat", Long.BYTES, Experiment.LATENCY, (role, directory) -> {
            final PutPingPong puts = PutPingPong.besideCount(role, directory, threading, Long.BYTES);
            return new GatedSide(new LatencySide(role, puts), puts.ends());
        });
        for (final int size : new int[] {8, 64}) {
            add(peer, "am_mr", size, Experiment.MESSAGE_RATE, (role, directory) -> {
                final SendExchange sends = SendExchange.open(role, directory, threading, size);
                return new GatedSide(RateSide.of(role, directory, sends), sends.ends());
            });
        }
    }

    private void addRepliesAndMix(Threading threading, String peer) {
        for (final int size : REPLY_SIZES) {
            add(peer, "am_reply_lat", size, Experiment.LATENCY, (role, directory) -> {
                final ReplyExchange replies = ReplyExchange.open(role, directory, threading, size);
                return new GatedSide(new LatencySide(role, replies), replies.ends());
            });
        }
        add(peer, "am_mixed_mr", MixedLengths.mean(), Experiment.MIXED_RATE, (role, directory) -> {
            final MixedSends sends = MixedSends.open(role, directory, threading);
            return new GatedSide(RateSide.of(role, directory, sends), sends.ends());
        });
    }

    private void addConcurrentSenders(Threading threading, String peer) {
        for (final int senders : new int[] {2, 4}) {
            for (final int size : REPLY_SIZES) {
                add(
                        peer,
                        "am_senders_" + senders + "_mr",
                        size,
                        Experiment.MESSAGE_RATE,
                        (role, directory) -> ConcurrentSends.open(role, directory, threading, senders, size));
            }
        }
    }

    private void addDemos(Threading threading, String peer) {
        for (final DemoExchange exchange : DemoExchange.values()) {
            add(peer + " replayed", exchange.test(), exchange.pieceBytes(), DONE, (role, directory) -> {
                final ReplayedPieces pieces = ReplayedPieces.open(role, directory, exchange, threading);
                return pieces.node().gated(new RoundSide(role, pieces));
            });
            add(peer + " injected", exchange.test(), exchange.pieceBytes(), DONE, (role, directory) -> {
                final InjectedPieces pieces = InjectedPieces.open(role, directory, exchange, threading);
                return pieces.node().gated(new RoundSide(role, pieces));
            });
        }
        for (final boolean replayed : new boolean[] {true, false}) {
            add(
                    peer + (replayed ? " replayed" : " injected"),
                    DemoSpikes.TEST,
                    DemoSpikes.SPIKE_BYTES,
                    DONE,
                    (role, directory) -> {
                        final SpikeRound spikes = SpikeRound.open(role, directory, replayed, threading);
                        return spikes.gated(new RoundSide(role, spikes));
                    });
        }
    }

    /** Adds the tests that need no thread of the target. An engine with a thread of its own has a core of its own. */
    private void addOneSided(Threading threading, String peer) {
        addPosted(threading, peer);
        for (final int size : new int[] {64 * 1024, 1024 * 1024, 16 * 1024 * 1024}) {
            for (final boolean gets : new boolean[] {false, true}) {
                add(
                        peer,
                        gets ? "get_bw" : "put_bw",
                        size,
                        List.of(FigureKind.BANDWIDTH, FigureKind.OF_COPY),
                        (role, directory) -> OneSided.open(
                                role, directory, threading, size, ends -> new Bandwidth(role, ends, size, gets)));
            }
        }
        for (final int size : DELIVERED_SIZES) {
            for (final boolean loans : new boolean[] {true, false}) {
                add(
                        peer,
                        loans ? "loan_done" : "put_done",
                        size,
                        DONE,
                        (role, directory) -> OneSided.open(
                                role, directory, threading, size, ends -> new RangeDelivery(role, ends, size, loans)));
            }
        }
        addFetches(peer, "get_lat", threading, RemoteWords.Kind.GET);
        addFetches(peer, "fetch_add_lat", threading, RemoteWords.Kind.FETCH_ADD);
    }

    private void addFetches(String peer, String test, Threading threading, RemoteWords.Kind kind) {
        add(
                peer,
                test,
                Long.BYTES,
                DONE,
                (role, directory) -> OneSided.open(
                        role, directory, threading, PAGE_LENGTH, ends -> new RemoteWords(role, ends, kind)));
    }

    private void addPosted(Threading threading, String peer) {
        for (final PostedPut.Kind kind : PostedPut.Kind.values()) {
            add(
                    peer,
                    kind.test() + "_call",
                    Long.BYTES,
                    COST,
                    (role, directory) ->
                            PostedPut.open(role, directory, threading, kind, Long.BYTES, TransferCost::of));
            add(
                    peer,
                    kind.test() + "_seen",
                    Long.BYTES,
                    TransferTime.METRICS,
                    (role, directory) ->
                            PostedPut.open(role, directory, threading, kind, Long.BYTES, TransferTime::new));
        }
        for (final int size : Overlap.SIZES) {
            add(
                    peer,
                    "put_overlap",
                    size,
                    Overlap.METRICS,
                    (role, directory) ->
                            PostedPut.open(role, directory, threading, PostedPut.Kind.POSITION, size, Overlap::new));
        }
    }

    private void addJoint(JointPair.Kind kind, String peer) {
        for (final int size : new int[] {8, 64}) {
            add(
                    peer,
                    "am_lat",
                    size,
                    Experiment.LATENCY,
                    (role, directory) -> JointPair.open(role, directory, kind, pair -> JointSend.latency(pair, size)));
            add(
                    peer,
                    "am_mr",
                    size,
                    Experiment.MESSAGE_RATE,
                    (role, directory) -> JointPair.open(role, directory, kind, pair -> JointSend.rate(pair, size)));
        }
        add(
                peer,
                "put_lat",
                Long.BYTES,
                Experiment.LATENCY,
                (role, directory) -> JointPair.open(role, directory, kind, pair -> JointPut.latency(pair, Long.BYTES)));
    }

    /** Adds the same exchanges of two ranks of one thread for mapped memory or a link. */
    private void addOneThread(JointPair.Kind kind, String peer) {
        addJoint(kind, peer);
        add(
                peer,
                "put_bw",
                LINKED_BYTES,
                List.of(FigureKind.BANDWIDTH),
                (role, directory) ->
                        JointPair.open(role, directory, kind, pair -> JointTransfer.one(pair, LINKED_BYTES)));
        for (final boolean replayed : new boolean[] {true, false}) {
            add(
                    peer,
                    (replayed ? "put_replay_done_" : "put_inject_done_") + LINKED_COUNT,
                    Long.BYTES,
                    DONE,
                    (role, directory) -> JointPair.open(
                            role,
                            directory,
                            kind,
                            pair -> JointTransfer.round(pair, LINKED_COUNT, Long.BYTES, replayed)));
        }
    }

    private void addBesideIdle(Threading threading, String peer, IdleResources.Kind... kinds) {
        for (final IdleResources.Kind kind : kinds) {
            add(
                    peer,
                    "am_lat_" + kind.name().toLowerCase(Locale.ROOT),
                    Long.BYTES,
                    List.of(FigureKind.P50, FigureKind.P99, FigureKind.OF_PLAIN),
                    (role, directory) -> IdleResources.open(role, directory, threading, kind));
        }
    }

    private void addShares(String peer) {
        for (final FifoShares.Kind kind : FifoShares.Kind.values()) {
            add(
                    peer,
                    "share_" + kind.name().toLowerCase(Locale.ROOT),
                    FifoShares.SIZE,
                    List.of(FigureKind.SHARE),
                    (role, directory) -> FifoShares.open(role, directory, kind));
        }
    }

    private void addReplays(Threading threading, String peer) {
        addNeighbours(threading, peer);
        addRounds(threading, peer);
        addReplayedSizes(threading, peer);
    }

    private void addNeighbours(Threading threading, String peer) {
        for (final int neighbours : NEIGHBOURS) {
            for (final NeighbourExchangeCost.Mode mode : NeighbourExchangeCost.Mode.values()) {
                add(
                        peer,
                        "many_to_many_" + mode.name().toLowerCase(Locale.ROOT) + "_" + neighbours,
                        NeighbourExchangeCost.PIECE,
                        DONE,
                        (role, directory) -> NeighbourExchangeCost.open(role, directory, threading, mode, neighbours));
            }
        }
    }

    private void addReplayedSizes(Threading threading, String peer) {
        for (final int size : REPLAYED_SIZES) {
            for (final boolean replayed : new boolean[] {true, false}) {
                add(
                        peer,
                        (replayed ? "put_replay_done_" : "put_inject_done_") + REPLAYED_COUNT,
                        size,
                        Experiment.LATENCY,
                        (role, directory) -> rounds(
                                Traffic.open(role, directory, threading, new Round(Kind.PUT, REPLAYED_COUNT, size), 1),
                                role,
                                replayed));
            }
        }
    }

    private void addRounds(Threading threading, String peer) {
        for (final Kind kind : Kind.values()) {
            final String name = kind.name().toLowerCase(Locale.ROOT);
            for (final int count : MESSAGE_COUNTS) {
                for (final boolean replayed : new boolean[] {true, false}) {
                    if (replayed && kind == Kind.PREPARED_PUT) {
                        continue;
                    }
                    final String how = replayed ? "_replay" : "_inject";
                    add(
                            peer,
                            name + how + "_done_" + count,
                            Long.BYTES,
                            Experiment.LATENCY,
                            (role, directory) -> rounds(role, directory, threading, kind, count, replayed));
                    add(
                            peer,
                            name + how + "_start_" + count,
                            Long.BYTES,
                            COST,
                            (role, directory) -> startCost(role, directory, threading, kind, count, replayed));
                }
            }
        }
    }

    private static Side rounds(Role role, Path directory, Threading threading, Kind kind, int count, boolean replayed) {
        return rounds(Traffic.open(role, directory, threading, new Round(kind, count, Long.BYTES), 1), role, replayed);
    }

    private static Side rounds(Traffic traffic, Role role, boolean replayed) {
        return new GatedSide(new LatencySide(role, new RoundExchange(traffic, replayed)), traffic.ends());
    }

    private static Side startCost(
            Role role, Path directory, Threading threading, Kind kind, int count, boolean replayed) {
        final int patterns = replayed ? StartCost.PATTERNS : 1;
        return new StartCost(
                role, Traffic.open(role, directory, threading, new Round(kind, count, Long.BYTES), patterns), replayed);
    }

    /** Adds an experiment, whose engines park until it is measured. */
    private void add(String peer, String test, int size, List<FigureKind> metrics, Experiment.Opener opener) {
        experiments.add(new Experiment(peer, test, size, metrics, (role, directory) -> {
            final Side side = opener.open(role, directory);
            side.leave();
            return side;
        }));
    }
}
