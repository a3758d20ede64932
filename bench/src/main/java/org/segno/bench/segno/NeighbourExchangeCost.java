package org.segno.bench.segno;

import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.TimeHistogram;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.Pieces;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Status;

/**
 * Exchange of {@link #PIECE} bytes with each of several neighbours, all of them at the other end, in both directions at
 * the same time.
 *
 * <p>A round is timed from its start until it is complete. The figure is the median of groups of {@value #GROUP}
 * rounds.
 */
final class NeighbourExchangeCost implements Side {
    /** Ways to start a round. */
    enum Mode {
        SINGLE,
        BATCH,
        REPLAY
    }

    static final int PIECE = 8;

    private static final int GROUP = 8;
    private static final int GROUP_LIMIT = 1 << 16;
    private static final int WINDOW_BYTES = 1 << 14;

    private final Role role;
    private final NodeEnd ends;
    private final BooleanSupplier complete;
    private final Runnable start;
    private final TimeHistogram groupTimes = new TimeHistogram();

    private NeighbourExchangeCost(Role role, NodeEnd ends, Mode mode, int neighbours) {
        this.role = role;
        this.ends = ends;
        if (mode == Mode.REPLAY) {
            final ManyToMany exchange = exchange(ends, neighbours);
            start = () -> start(exchange);
            complete = exchange::isComplete;
        } else {
            final NeighbourPuts puts = new NeighbourPuts(ends, neighbours, WINDOW_BYTES / 2);
            start = mode == Mode.SINGLE ? puts::startSingly : puts::startBatch;
            complete = puts::isComplete;
        }
        ends.context().barrier(NodeEnd.deadline());
    }

    private static ManyToMany exchange(NodeEnd ends, int neighbours) {
        final long length = (long) neighbours * PIECE;
        final Pieces sent = new Pieces();
        final Pieces received = new Pieces();
        for (int i = 0; i < neighbours; i++) {
            sent.add(ends.peer(), (long) i * PIECE, PIECE);
            received.add(ends.peer(), (long) i * PIECE, PIECE);
        }
        return ManyToMany.open(
                ends.client(),
                ends.context(),
                0,
                new ManyToMany.Sides(
                        ends.outgoing(),
                        sent,
                        new ManyToMany.Places(ends.incoming(), 0, WINDOW_BYTES / 2, length),
                        received),
                NodeEnd.deadline());
    }

    static NeighbourExchangeCost open(Role role, Path directory, Threading threading, Mode mode, int neighbours) {
        return new NeighbourExchangeCost(
                role, NodeEnd.open(role, directory, threading, NodeConfig.defaults(), WINDOW_BYTES), mode, neighbours);
    }

    @Override
    public void enter() {
        ends.enter();
    }

    @Override
    public void slice(int operations, SliceFigures figures) {
        groupTimes.reset();
        final int groups = Math.max(1, Math.min(operations / GROUP, GROUP_LIMIT));
        for (int group = 0; group < groups; group++) {
            final long beginNs = System.nanoTime();
            for (int i = 0; i < GROUP; i++) {
                round();
            }
            groupTimes.record((System.nanoTime() - beginNs) / (double) GROUP);
        }
        if (role == Role.ORIGIN) {
            figures.set(0, groupTimes.medianNs());
        }
    }

    private void start(ManyToMany exchange) {
        while (exchange.start() == Status.BACK_PRESSURED) {
            ends.context().advance();
        }
    }

    private void round() {
        start.run();
        int spins = 0;
        while (!complete.getAsBoolean()) {
            spins = ends.pause(ends.context().advance(), spins);
        }
    }

    @Override
    public void leave() {
        ends.leave();
    }

    @Override
    public void close() {
        ends.close();
    }
}
