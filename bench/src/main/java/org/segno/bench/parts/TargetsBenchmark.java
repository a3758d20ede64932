package org.segno.bench.parts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.segno.bench.jmh.EngineMode;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * Benchmarks of one PUT of several that are replayed, executed in one pass, and addressed to several ranks in turn. The
 * receivers do nothing.
 */
@State(Scope.Thread)
public class TargetsBenchmark {
    private static final int MANY = 1000;
    private static final int SOME_RANKS = 8;
    private static final int MANY_RANKS = 26;
    private static final int LENGTH = 8;
    private static final int WINDOW_BYTES = 16 * 1024;

    private final List<Node> nodes = join();
    private final Context context = nodes.get(0).client().context();
    private final Window outgoing = nodes.get(0).client().window(WINDOW_BYTES);
    private final List<Target> targets = attach();
    private final Pattern toOne = prepare(1);
    private final Pattern toSome = prepare(SOME_RANKS);
    private final Pattern toMany = prepare(MANY_RANKS);

    private static List<Node> join() {
        final String job = String.format(
                Locale.ROOT, "targets-%016x", ProcessHandle.current().pid());
        final List<JobConfig> jobs = new ArrayList<>();
        for (int rank = 0; rank <= MANY_RANKS; rank++) {
            jobs.add(JobConfig.of(job, rank, MANY_RANKS + 1));
        }
        return EngineMode.reported(Node.joinAll(
                jobs, NodeConfig.defaults().withThreading(Threading.INVOKER).withWindowBytes(WINDOW_BYTES)));
    }

    private List<Target> attach() {
        final List<Target> all = new ArrayList<>();
        for (int rank = 1; rank <= MANY_RANKS; rank++) {
            final Window incoming = nodes.get(rank).client().window(WINDOW_BYTES);
            final ReceptionCounter counter = nodes.get(rank).client().receptionCounter(incoming, 0, WINDOW_BYTES);
            nodes.get(rank).client().publish("in", counter);
            all.add(context.attach(rank, "in", Deadline.in(30, TimeUnit.SECONDS)));
        }
        return all;
    }

    private Pattern prepare(int ranks) {
        return context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            for (int i = 0; i < MANY; i++) {
                final long at = (long) i * LENGTH;
                context.put(targets.get(i % ranks), at, outgoing, at, LENGTH);
            }
        });
    }

    /** Leaves the job. */
    @TearDown
    public void close() {
        nodes.forEach(Node::close);
    }

    /** Measures one PUT of {@value #MANY} to one rank. */
    @Benchmark
    @OperationsPerInvocation(MANY)
    public int putToOneRank() {
        return replay(toOne);
    }

    /** Measures one PUT of {@value #MANY} to {@value #SOME_RANKS} ranks in turn. */
    @Benchmark
    @OperationsPerInvocation(MANY)
    public int putToEightRanks() {
        return replay(toSome);
    }

    /** Measures one PUT of {@value #MANY} to {@value #MANY_RANKS} ranks in turn. */
    @Benchmark
    @OperationsPerInvocation(MANY)
    public int putToAllNeighbours() {
        return replay(toMany);
    }

    private int replay(Pattern pattern) {
        if (context.replay(pattern) < 0) {
            throw new IllegalStateException("the last replay is not complete: " + pattern);
        }
        return context.advance();
    }
}
