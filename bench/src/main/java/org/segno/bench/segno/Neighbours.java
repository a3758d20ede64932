package org.segno.bench.segno;

import java.nio.file.Path;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.TimeHistogram;
import org.segno.context.Client;
import org.segno.memory.Window;
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
final class Neighbours implements Side {
    /** Ways to start a round. */
    enum Way {
        SINGLE,
        TOGETHER,
        REPLAY
    }

    static final int PIECE = 8;

    private static final int GROUP = 8;
    private static final int GROUP_LIMIT = 1 << 16;
    private static final int WINDOW_BYTES = 1 << 14;

    private final Role role;
    private final Ends ends;
    private final Way way;
    private final ManyToMany exchange;
    private final TimeHistogram groupTimes = new TimeHistogram();

    private Neighbours(Role role, Ends ends, Way way, int neighbours) {
        this.role = role;
        this.ends = ends;
        this.way = way;
        final Client client = ends.client();
        final Window places = ends.incoming();
        final long length = (long) neighbours * PIECE;
        final Pieces sent = new Pieces();
        final Pieces received = new Pieces();
        for (int i = 0; i < neighbours; i++) {
            sent.add(ends.peer(), (long) i * PIECE, PIECE);
            received.add(ends.peer(), (long) i * PIECE, PIECE);
        }
        this.exchange = ManyToMany.open(
                client,
                ends.context(),
                0,
                new ManyToMany.Sides(
                        ends.outgoing(), sent, new ManyToMany.Places(places, 0, WINDOW_BYTES / 2, length), received),
                Ends.deadline());
        exchange.replaying(way == Way.REPLAY);
        ends.context().barrier(Ends.deadline());
    }

    static Neighbours open(Role role, Path directory, Way way, int neighbours) {
        return new Neighbours(
                role,
                Ends.open(role, directory, Threading.INVOKER, NodeConfig.defaults(), WINDOW_BYTES),
                way,
                neighbours);
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

    private void round() {
        if (way == Way.SINGLE) {
            exchange.startSingly(Ends.deadline());
        } else {
            while (exchange.start() == Status.BACK_PRESSURED) {
                ends.context().advance();
            }
        }
        int spins = 0;
        while (!exchange.isComplete()) {
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
