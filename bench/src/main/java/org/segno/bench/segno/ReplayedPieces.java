package org.segno.bench.segno;

import java.nio.file.Path;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.PiecePhase;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.TimedRound;
import org.segno.context.Context;
import org.segno.multisend.ManyToMany;
import org.segno.multisend.Pieces;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Status;

/** Exchange of a demo by a many-to-many exchange for each phase, recorded once and replayed. */
final class ReplayedPieces implements TimedRound {
    private final DemoNode node;
    private final Context context;
    private final ManyToMany[] phases;

    private ReplayedPieces(DemoNode node) {
        this.node = node;
        this.context = node.context();
        this.phases = new ManyToMany[node.phases().size()];
        for (int phase = 0; phase < phases.length; phase++) {
            phases[phase] = open(node, phase);
        }
    }

    private static ManyToMany open(DemoNode node, int phase) {
        final PiecePhase pieces = node.phases().get(phase);
        final long bytes = pieces.receivedBytes();
        final Pieces sent = new Pieces();
        for (int i = 0; i < pieces.lists().sent().count(); i++) {
            sent.add(
                    pieces.lists().sent().rank(i),
                    pieces.lists().sent().offset(i),
                    pieces.lists().sent().length(i));
        }
        final Pieces received = new Pieces();
        for (int i = 0; i < pieces.lists().received().count(); i++) {
            received.add(
                    pieces.lists().received().rank(i),
                    pieces.lists().received().offset(i),
                    pieces.lists().received().length(i));
        }
        return ManyToMany.open(
                node.client(),
                node.context(),
                phase,
                new ManyToMany.Sides(
                        node.source(),
                        sent,
                        new ManyToMany.Places(node.targets().get(phase), 0, bytes, bytes),
                        received),
                NodeEnd.deadline());
    }

    static ReplayedPieces open(Role role, Path directory, DemoExchange exchange, Threading threading) {
        return new ReplayedPieces(DemoNode.open(role, directory, exchange, threading));
    }

    /** Opens one end of an exchange between nodes that a link joins. */
    static ReplayedPieces linked(Role role, Path directory, DemoExchange exchange) {
        return new ReplayedPieces(DemoNode.linked(role, directory, exchange));
    }

    @Override
    public void run() {
        for (final ManyToMany phase : phases) {
            while (phase.start() == Status.BACK_PRESSURED) {
                context.advance();
            }
            int spins = 0;
            while (!phase.isComplete()) {
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
}
