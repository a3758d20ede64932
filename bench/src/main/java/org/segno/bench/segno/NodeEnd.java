package org.segno.bench.segno;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.segno.bench.experiment.LentCore;
import org.segno.bench.experiment.Role;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Metrics;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.Refusal;

/** One end of an experiment between two nodes: a node, a window with a counter over it, and the peer's as a target. */
final class NodeEnd implements AutoCloseable {
    private static final String JOB = "bench-00000000000000b5";
    private static final String NAME = "in";

    private final EngineGate gate;
    private final List<Node> nodes;
    private final Node node;
    private final int peer;
    private final Window incoming;
    private final Window outgoing;
    private final ReceptionCounter counter;
    private final Target target;
    private int users = 1;

    private NodeEnd(List<Node> nodes, int peer, EngineGate gate, int windowBytes) {
        this.gate = gate;
        this.peer = peer;
        this.nodes = nodes;
        node = nodes.get(0);
        final Client client = node.client();
        incoming = client.window(windowBytes);
        outgoing = client.window(windowBytes);
        counter = client.receptionCounter(
                incoming, 0, windowBytes, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
        client.publish(NAME, counter);
        target = client.context().attach(peer, NAME, deadline());
    }

    private static NodeEnd join(
            Role role, Path directory, NodeConfig config, EngineGate gate, int windowBytes, int ranks) {
        final int half = ranks / 2;
        final int first = role == Role.ORIGIN ? 0 : half;
        return new NodeEnd(
                join(directory, withWindows(config, gate, windowBytes), first, half, ranks),
                half - first,
                gate,
                windowBytes);
    }

    private static NodeConfig withWindows(NodeConfig config, EngineGate gate, int windowBytes) {
        return config.withIdle(() -> gate).withWindowBytes(2L * windowBytes + 4096);
    }

    /** Joins a job as one rank under {@code INVOKER}. */
    static NodeEnd join(JobConfig job, NodeConfig config, int peer, int windowBytes) {
        final EngineGate gate = EngineGate.invoked();
        return new NodeEnd(List.of(Node.join(job, withWindows(config, gate, windowBytes))), peer, gate, windowBytes);
    }

    static NodeEnd open(Role role, Path directory, Threading threading, NodeConfig config, int windowBytes) {
        return open(role, directory, threading, config, windowBytes, EngineGate.of(threading));
    }

    /**
     * Opens one end of an experiment in which only the origin acts. Its engine, if it has a thread of its own, has
     * {@code core}. The echo's memory is the target.
     */
    static NodeEnd toParked(Role role, Path directory, Threading threading, LentCore core, int windowBytes) {
        final boolean own = role == Role.ORIGIN && threading != Threading.INVOKER;
        return open(
                role,
                directory,
                own ? threading : Threading.INVOKER,
                NodeConfig.defaults(),
                windowBytes,
                own ? EngineGate.on(core.number()) : EngineGate.invoked());
    }

    private static NodeEnd open(
            Role role, Path directory, Threading threading, NodeConfig config, int windowBytes, EngineGate gate) {
        final NodeEnd ends = join(role, directory, config.withThreading(threading), gate, windowBytes, 2);
        ends.context().barrier(deadline());
        gate.awaitBound();
        return ends;
    }

    /**
     * Opens one end of a job of {@code ranks}, half of them in each process.
     *
     * <p>Only the first rank of each half takes part; the others are silent members. They cannot meet in a barrier,
     * because no thread advances them.
     */
    static NodeEnd amongSilent(Role role, Path directory, NodeConfig config, int windowBytes, int ranks) {
        return join(role, directory, config.withThreading(Threading.INVOKER), EngineGate.invoked(), windowBytes, ranks);
    }

    /** Joins as {@code count} ranks of a job of {@code ranks}, from the first of them. */
    static List<Node> join(Path directory, NodeConfig config, int first, int count, int ranks) {
        return Node.joinAll(
                IntStream.range(first, first + count)
                        .mapToObj(rank -> JobConfig.of(JOB, rank, ranks).withDirectory(directory))
                        .toList(),
                config);
    }

    /** Returns a deadline longer than any slice. */
    static long deadline() {
        return Deadline.in(60, TimeUnit.SECONDS);
    }

    /** Adds a user. The node is closed when {@link #close} has been called once for each user. */
    NodeEnd share() {
        users++;
        return this;
    }

    /** Returns the number of users, which distinguishes the handlers of the last one. */
    int users() {
        return users;
    }

    Context context() {
        return node.client().context();
    }

    Client client() {
        return node.client();
    }

    int peer() {
        return peer;
    }

    Window incoming() {
        return incoming;
    }

    Window outgoing() {
        return outgoing;
    }

    ReceptionCounter counter() {
        return counter;
    }

    Target target() {
        return target;
    }

    /** Pauses as {@link EngineGate#pause} does. */
    int pause(int done, int spins) {
        return gate.pause(done, spins);
    }

    EngineGate gate() {
        return gate;
    }

    /** Lets a dedicated engine work. */
    void enter() {
        gate.open();
    }

    /** Lets a dedicated engine park once it has carried everything out: other experiments are measured now. */
    void leave() {
        gate.shutAfter(context());
    }

    /** Closes the nodes after their last user. */
    @Override
    public void close() {
        users--;
        if (users == 0) {
            gate.open();
            close(nodes);
        }
    }

    /** Closes nodes. Throws if messages of the first were refused, because then the measurement is invalid. */
    static void close(List<Node> nodes) {
        final Metrics metrics = nodes.get(0).metrics();
        for (final Refusal refusal : Refusal.values()) {
            if (metrics.refusals(refusal) != 0) {
                throw new IllegalStateException("refused " + metrics.refusals(refusal) + " times: " + refusal.reason());
            }
        }
        nodes.forEach(Node::close);
    }
}
