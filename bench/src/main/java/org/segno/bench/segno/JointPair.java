package org.segno.bench.segno;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
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
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/**
 * Both ranks of a job in the origin's process, with one application thread for both. Used by that thread.
 *
 * <p>With {@link Kind#SHARED} one engine thread for both is on the echo's core. A message passes from one core to the
 * other twice, as with a dedicated engine: to the engine, and from it to the receiver. All nodes with that threading
 * share one thread, which would serve the nodes of other experiments too. So the experiments of a process share one
 * pair.
 */
final class JointPair implements AutoCloseable {
    private static final String NAME = "in";
    private static final int RANKS = 2;
    private static final int WINDOW_BYTES = 64 * 1024;

    private static final Map<Kind, JointPair> OPEN = new EnumMap<>(Kind.class);

    private final Kind kind;

    /** Gate of the engine thread; null if the application runs the engines. */
    private final @Nullable EngineGate gate;

    private final List<Node> nodes;
    private final List<End> ends = new ArrayList<>();
    private int users;

    /** Ways in which the two ranks are served and joined. */
    enum Kind {
        /** An engine thread for both, mapped memory. */
        SHARED("bench-00000000000000b6", Threading.SHARED, "shm"),

        /** The application runs both engines, mapped memory. */
        ONE_THREAD("bench-00000000000000b7", Threading.INVOKER, "shm"),

        /** The application runs both engines, a link through the memory of the process. */
        LINKED("bench-00000000000000b8", Threading.INVOKER, "process");

        private final String job;
        private final Threading threading;
        private final String transport;

        Kind(String job, Threading threading, String transport) {
            this.job = job;
            this.threading = threading;
            this.transport = transport;
        }
    }

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

    private JointPair(Kind kind, Path directory, @Nullable EngineGate gate) {
        this.kind = kind;
        this.gate = gate;
        final NodeConfig config = NodeConfig.defaults()
                .withThreading(kind.threading)
                .withTransport(kind.transport)
                .withWindowBytes(3L * WINDOW_BYTES);
        nodes = Node.joinAll(
                Stream.of(0, 1)
                        .map(rank -> JobConfig.of(kind.job, rank, RANKS).withDirectory(directory))
                        .toList(),
                gate == null ? config : config.withIdle(() -> gate));
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
                    attach(rank)));
        }
        if (gate != null) {
            gate.awaitBound();
        }
    }

    /** Finds the other rank's counter. A linked rank sends the entry of its directory when it advances. */
    private Target attach(int rank) {
        final Context context = nodes.get(rank).client().context();
        while (true) {
            try {
                return context.attach(1 - rank, NAME, Deadline.in(1, TimeUnit.MILLISECONDS));
            } catch (DeadlineException ignored) {
                nodes.get(1 - rank).client().context().advance();
            }
        }
    }

    /** Opens one end: the measurement of the pair at the origin, nothing at the echo. */
    static Side open(Role role, Path directory, Kind kind, Function<JointPair, Side> measurement) throws IOException {
        if (kind.threading == Threading.INVOKER) {
            return role == Role.ORIGIN ? measurement.apply(ofThisProcess(kind, directory, () -> null)) : new Absent();
        }
        final LentCore core = LentCore.share(role, directory);
        final Side side = role == Role.ORIGIN
                ? measurement.apply(ofThisProcess(kind, directory, () -> EngineGate.on(core.number())))
                : new Absent();
        return new ParkedEcho(role, side, core);
    }

    private static JointPair ofThisProcess(Kind kind, Path directory, Supplier<@Nullable EngineGate> gate) {
        final JointPair pair = OPEN.computeIfAbsent(kind, unknown -> new JointPair(unknown, directory, gate.get()));
        pair.users++;
        return pair;
    }

    /** Returns the number of this user, which is the id of its handlers. */
    int user() {
        return users;
    }

    /** Returns a new injection counter of a rank. */
    InjectionCounter injectionCounter(int rank) {
        return nodes.get(rank).client().injectionCounter();
    }

    End end(int rank) {
        return ends.get(rank);
    }

    /** Runs the engine of a rank, if the application runs the engines. */
    void serve(int rank) {
        if (gate == null) {
            ends.get(rank).context().advance();
        }
    }

    void enter() {
        if (gate != null) {
            gate.open();
        }
    }

    void leave() {
        while (!ends.stream().allMatch(end -> end.context().isDrained())) {
            ends.forEach(end -> Spin.pause(end.context().advance()));
        }
        if (gate != null) {
            gate.shut();
        }
    }

    /** Closes the pair after its last user. */
    @Override
    public void close() {
        users--;
        if (users == 0) {
            OPEN.remove(kind, this);
            enter();
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
        return new GatedSide(measured, this::enter, this::leave);
    }
}
