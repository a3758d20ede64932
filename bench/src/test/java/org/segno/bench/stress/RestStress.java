package org.segno.bench.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.NameDirectory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.Closings;
import org.segno.engine.reuse.CounterGroup;
import org.segno.engine.reuse.Pins;
import org.segno.engine.reuse.QuietCount;
import org.segno.engine.reuse.QuietEngines;
import org.segno.engine.reuse.WindowArena;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Window;

/** Engine that leaves its rest while an owner closes a counter and reuses its memory. */
public final class RestStress {
    private static final long SOURCE = 256;
    private static final int OLD = 1;
    private static final int NEW = 7;

    private static final NodeMetrics METRICS = new NodeMetrics(StressNode.next());

    private RestStress() {}

    /** Close of a counter: the engine lands only before the memory has its next owner, or is refused. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The engine was in its pass, which was refused: the close waits.")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "The engine was in its pass, which landed: the close waits.")
    @Outcome(
            id = "1, 7",
            expect = ACCEPTABLE,
            desc = "The engine rested before or after: the memory is the next owner's.")
    @Outcome(expect = FORBIDDEN, desc = "The engine has written into memory that had its next owner already.")
    @State
    public static class Close {
        private final NodeMemory node = StressNode.next();
        private final WindowArena arena = new WindowArena(node);
        private final Window window = arena.open(Long.BYTES);
        private final CounterGroup group = new CounterGroup(node);
        private final ReceptionCounter counter =
                group.reception(window, 0, Long.BYTES, ReceptionCounter.ANYBODY, Right.PUT);
        private final QuietCount quiet = new QuietCount(node, 0);
        private final PeerStates states = new PeerStates(node);
        private final Landing landing = new Landing(node, 0, states, METRICS);
        private final Closings closings = new Closings(
                new Closings.Shared(
                        0,
                        new NameDirectory(node),
                        new QuietEngines(List.of(Peer.mapped(node)), states, rank -> false),
                        () -> () -> null,
                        new Pins()),
                arena,
                group);
        private boolean closed;

        public Close() {
            node.arena().putLong(SOURCE, OLD);
        }

        /** Runs one pass out of a rest. */
        @Actor
        public void engine() {
            quiet.begin();
            if (landing.open(counter.id(), counter.incarnation()) == Landing.LANDED) {
                landing.land(node.arena(), SOURCE, 0, Long.BYTES);
                landing.close(Long.BYTES);
            }
            quiet.rest();
        }

        /** Closes the counter, and writes for the memory's next owner if the close is done at once. */
        @Actor
        public void owner() {
            closed = closings.close(counter).isDone();
            if (closed) {
                node.arena().putLong(window.base(), NEW);
            }
        }

        /** Reads the results. */
        @Arbiter
        public void look(II_Result seen) {
            seen.r1 = closed ? 1 : 0;
            seen.r2 = (int) node.arena().getLong(window.base());
        }
    }
}
