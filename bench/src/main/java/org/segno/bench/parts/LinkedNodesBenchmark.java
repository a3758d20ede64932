package org.segno.bench.parts;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
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
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;

/**
 * Benchmarks of operations between two nodes of this process that a link over Aeron and the loopback interface joins.
 * One thread runs both engines and the driver. None may allocate, on any thread.
 */
@State(Scope.Thread)
public class LinkedNodesBenchmark {
    private static final int DISPATCH_ID = 1;
    private static final int LENGTH = 64;
    private static final int RANGE = 1 << 20;
    private static final int ROUND = 1_000;
    private static final String NAME = "in";

    private final List<Node> nodes = EngineMode.reported(Node.joinAll(
            List.of(job(0), job(1)),
            NodeConfig.defaults()
                    .withTransport("aeron")
                    .withThreading(Threading.INVOKER)
                    .withWindowBytes(RANGE + 4096)));
    private final Context first = nodes.get(0).client().context();
    private final Context second = nodes.get(1).client().context();
    private final Window source = nodes.get(0).client().window(RANGE);
    private final Window back = nodes.get(1).client().window(LENGTH);
    private final ReceptionCounter counter =
            nodes.get(1).client().receptionCounter(nodes.get(1).client().window(RANGE), 0, RANGE);
    private final Message there = new Message().to(1, DISPATCH_ID).payload(source, 0, LENGTH);
    private final Message reply = new Message().to(0, DISPATCH_ID).payload(back, 0, LENGTH);
    private final Target target;
    private final Pattern puts;
    private long arrived;
    private long returned;

    /** Joins the nodes and uses their link. */
    public LinkedNodesBenchmark() {
        nodes.get(1).client().publish(NAME, counter);
        second.handler(DISPATCH_ID, (origin, buffer, metadata, metadataLength, offset, length) -> arrived++);
        first.handler(DISPATCH_ID, (origin, buffer, metadata, metadataLength, offset, length) -> returned++);
        target = attach();
        puts = first.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            for (int i = 0; i < ROUND; i++) {
                TwoNodes.requireInjected(
                        first.put(target, (long) i * Long.BYTES, source, (long) i * Long.BYTES, Long.BYTES));
            }
        });
        counter.expect((long) ROUND * Long.BYTES);
        land();
    }

    private static JobConfig job(int rank) {
        return JobConfig.of(
                String.format(
                        Locale.ROOT, "parts-%016x", ProcessHandle.current().pid()),
                rank,
                2);
    }

    /** Looks up the counter of the second node by its name, and advances that node until it has answered. */
    private Target attach() {
        final CompletableFuture<Target> found =
                CompletableFuture.supplyAsync(() -> first.attach(1, NAME, Deadline.in(30, TimeUnit.SECONDS)));
        while (!found.isDone()) {
            second.advance();
        }
        return found.join();
    }

    private void land() {
        while (counter.valueAcquire() > 0) {
            first.advance();
            second.advance();
        }
    }

    /** Measures a message of {@value #LENGTH} bytes to a handler, and one back. */
    @Benchmark
    public long sendRoundTrip() {
        final long expected = arrived + 1;
        TwoNodes.requireInjected(first.send(there));
        while (arrived < expected) {
            first.advance();
            second.advance();
        }
        TwoNodes.requireInjected(second.send(reply));
        while (returned < expected) {
            second.advance();
            first.advance();
        }
        return returned;
    }

    /** Measures a PUT of 1 MiB, until it has landed. */
    @Benchmark
    public long putOfARange() {
        counter.expect(RANGE);
        TwoNodes.requireInjected(first.put(target, 0, source, 0, RANGE));
        land();
        return counter.valueAcquire();
    }

    /** Measures {@value #ROUND} replayed PUTs of 8 bytes, until they have landed. */
    @Benchmark
    public long replayedPuts() {
        counter.expect((long) ROUND * Long.BYTES);
        // The round before has landed, but may not be acknowledged yet.
        while (first.replay(puts) < 0) {
            first.advance();
            second.advance();
        }
        land();
        return counter.valueAcquire();
    }

    /** Leaves the job. */
    @TearDown
    public void close() {
        while (!first.isDrained() || !second.isDrained()) {
            first.advance();
            second.advance();
        }
        nodes.forEach(Node::close);
    }
}
