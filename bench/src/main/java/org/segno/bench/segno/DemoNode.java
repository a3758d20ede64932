package org.segno.bench.segno;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.segno.bench.demos.DemoExchange;
import org.segno.bench.demos.PiecePhase;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.demo.manytomany.ExchangeMemory;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Node of one end of a demo's exchange. All phases send from one window. Each has a window of its own to land in, with
 * room for two rounds, because phases follow each other without a barrier.
 *
 * @param node the node
 * @param phases pieces of each phase
 * @param source window with the sent pieces
 * @param targets window of the received pieces of each phase
 * @param gate gate of its engine
 */
record DemoNode(Node node, List<PiecePhase> phases, Window source, List<Window> targets, EngineGate gate) {
    static DemoNode open(Role role, Path directory, DemoExchange exchange, Threading threading) {
        final EngineGate gate = EngineGate.of(threading);
        return open(role, directory, exchange, config -> gate.configure(config, threading), gate);
    }

    /** Opens one end between nodes that a link joins. */
    static DemoNode linked(Role role, Path directory, DemoExchange exchange) {
        return open(role, directory, exchange, LinkedEnds::linked, EngineGate.invoked());
    }

    private static DemoNode open(
            Role role, Path directory, DemoExchange exchange, UnaryOperator<NodeConfig> settings, EngineGate gate) {
        final List<PiecePhase> phases = exchange.phases(role.rank());
        final ExchangeMemory memory = new ExchangeMemory(DemoExchange.RANKS);
        phases.forEach(phase -> memory.with(phase.lists()));
        final long targetBytes =
                phases.stream().mapToLong(phase -> 2L * phase.receivedBytes()).sum();
        final Node node = NodeEnd.join(
                        directory,
                        settings.apply(memory.nodeConfig().withWindowBytes(memory.windowBytes() + targetBytes)),
                        role.rank(),
                        1,
                        DemoExchange.RANKS)
                .get(0);
        gate.awaitBound();
        final Client client = node.client();
        final int sourceBytes =
                phases.stream().mapToInt(PiecePhase::sentBytes).max().orElseThrow();
        final List<Window> targets = new ArrayList<>();
        phases.forEach(phase -> targets.add(client.window(2L * phase.receivedBytes())));
        return new DemoNode(node, phases, client.window(sourceBytes), targets, gate);
    }

    Client client() {
        return node.client();
    }

    Context context() {
        return node.client().context();
    }

    /** Returns the side that lets the engine work while {@code measured} is measured. */
    Side gated(Side measured) {
        return new GatedSide(measured, gate, context());
    }

    /** Closes the node. */
    void close() {
        gate.open();
        NodeEnd.close(List.of(node));
    }
}
