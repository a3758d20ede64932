package org.segno.bench.segno;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.segno.bench.experiment.LentCore;
import org.segno.bench.experiment.ParkedEcho;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Side;
import org.segno.bench.experiment.SliceFigures;
import org.segno.bench.experiment.Spin;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Both ranks of a job in the origin's process: one application thread for both, and one {@code SHARED} engine thread on
 * the echo's core. A message passes from one core to the other twice, as with a dedicated engine: to the engine, and
 * from it to the receiver.
 *
 * <p>All nodes with that threading share one thread, which would serve the nodes of other experiments too. So the
 * experiments of a process share one pair. Used by one thread.
 */
final class JointPair implements AutoCloseable {
    private static final String JOB = "bench-00000000000000b6";
    private static final String NAME = "in";
    private static final int RANKS = 2;
    private static final int WINDOW_BYTES = 4096;

    private static @Nullable JointPair open;

    private final EngineGate gate;
    private final List<Node> nodes;
    private final List<End> ends = new ArrayList<>();
    private int users;

    /**
     * One of the two ranks.
     *
     * @param context its context
     * @param incoming window of the peer's puts
     * @param outgoing window of its own puts
     * @param counter counter over the incoming window
     * @param target the peer's counter
     */
    record End(Context context, Window incoming, Window outgoing, ReceptionCounter counter, Target target) {}

    private JointPair(Path directory, int core) {
        gate = EngineGate.on(core);
        nodes = Node.joinAll(
                Stream.of(0, 1)
                        .map(rank -> JobConfig.of(JOB, rank, RANKS).withDirectory(directory))
                        .toList(),
                NodeConfig.defaults()
                        .withThreading(Threading.SHARED)
                        .withIdle(() -> gate)
                        .withWindowBytes(3L * WINDOW_BYTES));
        final List<Window> incoming = new ArrayList<>();
        final List<ReceptionCounter> counters = new ArrayList<>();
        for (final Node node : nodes) {
            final Client client = node.client();
            final Window window = client.window(WINDOW_BYTES);
            final ReceptionCounter counter = client.receptionCounter(window, 0, WINDOW_BYTES, ReceptionCounter.ANYBODY);
            client.publish(NAME, counter);
            incoming.add(window);
            counters.add(counter);
        }
        for (int rank = 0; rank < RANKS; rank++) {
            final Context context = nodes.get(rank).client().context();
            ends.add(new End(
                    context,
                    incoming.get(rank),
                    nodes.get(rank).client().window(WINDOW_BYTES),
                    counters.get(rank),
                    context.attach(1 - rank, NAME, NodeEnd.deadline())));
        }
        gate.awaitBound();
    }

    /** Opens one end: the measurement of the pair at the origin, nothing at the echo. */
    static Side open(Role role, Path directory, Function<JointPair, Side> measurement) throws IOException {
        final LentCore core = LentCore.share(role, directory);
        final Side side =
                role == Role.ORIGIN ? measurement.apply(ofThisProcess(directory, core.number())) : new Absent();
        return new ParkedEcho(role, side, core);
    }

    private static JointPair ofThisProcess(Path directory, int core) {
        JointPair pair = open;
        if (pair == null) {
            pair = new JointPair(directory, core);
            open = pair;
        }
        pair.users++;
        return pair;
    }

    /** Returns the number of this user, which is the id of its handlers. */
    int user() {
        return users;
    }

    End end(int rank) {
        return ends.get(rank);
    }

    void enter() {
        gate.open();
    }

    void leave() {
        for (final End end : ends) {
            while (!end.context().isDrained()) {
                Spin.pause(end.context().advance());
            }
        }
        gate.shut();
    }

    /** Closes the pair after its last user. */
    @Override
    public void close() {
        users--;
        if (users == 0) {
            open = null;
            gate.open();
            nodes.forEach(Node::close);
        }
    }

    /** The echo's side, which never runs. */
    private record Absent() implements Side {
        @Override
        public void slice(int operations, SliceFigures figures) {}

        @Override
        public void close() {}
    }

    /** Returns the side that lets the engine work while {@code measured} is measured. */
    Side gated(Side measured) {
        return new Gated(this, measured);
    }

    private record Gated(JointPair pair, Side measured) implements Side {
        @Override
        public void enter() {
            pair.enter();
        }

        @Override
        public void slice(int operations, SliceFigures figures) {
            measured.slice(operations, figures);
        }

        @Override
        public void leave() {
            pair.leave();
        }

        @Override
        public void close() {
            measured.close();
        }
    }
}
