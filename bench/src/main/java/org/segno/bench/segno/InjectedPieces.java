package org.segno.bench.segno;

import java.nio.file.Path;
import java.util.List;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.PieceMove;
import org.segno.bench.demos.PiecePhase;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.TimedRound;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Status;

/**
 * Exchange of a demo by PUTs that are injected one by one. Rounds land in two locations in turn, as those of a
 * many-to-many exchange do.
 */
final class InjectedPieces implements TimedRound {
    private final DemoNode node;
    private final Context context;
    private final Phase[] phases;
    private long round;

    private InjectedPieces(DemoNode node) {
        this.node = node;
        this.context = node.context();
        this.phases = new Phase[node.phases().size()];
        for (int phase = 0; phase < phases.length; phase++) {
            phases[phase] = new Phase(node, phase);
        }
        for (int phase = 0; phase < phases.length; phase++) {
            phases[phase].attach(context, phase);
        }
        context.barrier(NodeEnd.deadline());
    }

    static InjectedPieces open(Role role, Path directory, DemoExchange exchange, Threading threading) {
        return new InjectedPieces(DemoNode.open(role, directory, exchange, threading));
    }

    @Override
    public void run() {
        round++;
        for (final Phase phase : phases) {
            phase.start(context, round);
            int spins = 0;
            while (!phase.isComplete(round)) {
                spins = node.gate().pause(context.advance(), spins);
            }
        }
    }

    DemoNode node() {
        return node;
    }

    @Override
    public void close() {
        node.close();
    }

    /** One phase: its counters, and its PUTs. */
    private static final class Phase {
        private final Window source;
        private final CounterPair incoming;
        private final InjectionCounter outgoing;
        private final long sentBytes;
        private final long receivedBytes;
        private final int[] ranks;
        private final int[] sourceOffsets;
        private final int[] targetOffsets;
        private final int[] lengths;
        private final Target[][] targets = new Target[2][DemoExchange.RANKS];

        Phase(DemoNode node, int index) {
            final PiecePhase phase = node.phases().get(index);
            final List<PieceMove> moves = phase.moves();
            source = node.source();
            sentBytes = phase.sentBytes();
            receivedBytes = phase.receivedBytes();
            ranks = moves.stream().mapToInt(PieceMove::target).toArray();
            sourceOffsets = moves.stream().mapToInt(PieceMove::sourceOffset).toArray();
            targetOffsets = moves.stream().mapToInt(PieceMove::targetOffset).toArray();
            lengths = moves.stream().mapToInt(PieceMove::length).toArray();
            incoming = node.client().counterPair(node.targets().get(index), 0, receivedBytes, receivedBytes);
            outgoing = node.client().injectionCounter();
            node.client().publish(name(index), incoming);
        }

        private static String name(int index) {
            return "phase." + index;
        }

        void attach(Context context, int index) {
            for (int rank = 0; rank < DemoExchange.RANKS; rank++) {
                final Target pair = context.attach(rank, name(index), NodeEnd.deadline());
                targets[0][rank] = pair.ofRound(0);
                targets[1][rank] = pair.ofRound(1);
            }
        }

        void start(Context context, long round) {
            context.expect(incoming.counter(round), receivedBytes);
            context.expect(outgoing, sentBytes);
            final Target[] current = targets[(int) round & 1];
            for (int i = 0; i < ranks.length; i++) {
                while (context.put(current[ranks[i]], targetOffsets[i], source, sourceOffsets[i], lengths[i], outgoing)
                        == Status.BACK_PRESSURED) {
                    context.advance();
                }
            }
        }

        boolean isComplete(long round) {
            return incoming.counter(round).valueAcquire() <= 0 && outgoing.valueAcquire() <= 0;
        }
    }
}
