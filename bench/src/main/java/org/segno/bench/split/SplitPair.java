package org.segno.bench.split;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.Status;

/**
 * Two nodes of one process. The first puts, with engines that have threads of their own, into the memory of the second,
 * which is passive. Used by one thread.
 */
final class SplitPair implements AutoCloseable {
    private static final String NAME = "in";

    private final List<Node> nodes;
    private final Context context;
    private final InjectionFifo other;
    private final InjectionCounter injected;
    private final Window source;
    private final Target target;

    private SplitPair(List<Node> nodes, int windowBytes) {
        this.nodes = nodes;
        this.context = nodes.get(0).client().context();
        this.other = context.injectionFifo();
        this.injected = nodes.get(0).client().injectionCounter();
        this.source = nodes.get(0).client().window(windowBytes);
        final Window landing = nodes.get(1).client().window(windowBytes);
        final ReceptionCounter counter = nodes.get(1).client().receptionCounter(landing, 0, windowBytes);
        nodes.get(1).client().publish(NAME, counter);
        this.target = context.attach(1, NAME, deadline());
    }

    static SplitPair open(int engines, int windowBytes) {
        final String job = JobConfig.uniqueName("split");
        final NodeConfig config =
                NodeConfig.defaults().withWindowBytes(windowBytes + 4096L).withFifos(4);
        final NodeConfig active = config.withThreading(Threading.DEDICATED).withEngines(engines);
        // As many engines as the first node, but none that takes a core.
        final NodeConfig passive = config.withThreading(Threading.INVOKER).withContexts(engines);
        final CompletableFuture<Node> second =
                CompletableFuture.supplyAsync(() -> Node.join(JobConfig.of(job, 1, 2), passive));
        final Node first = Node.join(JobConfig.of(job, 0, 2), active);
        return new SplitPair(List.of(first, second.join()), windowBytes);
    }

    private static long deadline() {
        return Deadline.in(60, TimeUnit.SECONDS);
    }

    /**
     * Returns the nanoseconds that each of {@code puts} puts of {@code size} bytes takes, one after the other, split in
     * two or whole.
     */
    double timeNs(int size, int puts, boolean split) {
        context.split(1, split ? new InjectionFifo[] {other} : new InjectionFifo[0]);
        final long beginNs = System.nanoTime();
        for (int i = 0; i < puts; i++) {
            injected.expect(size);
            while (context.put(target, 0, source, 0, size, injected) == Status.BACK_PRESSURED) {
                context.advance();
            }
            context.await(injected, deadline());
        }
        return (System.nanoTime() - beginNs) / (double) puts;
    }

    /** Returns the threading of the node that puts. The target takes no part. */
    Threading mode() {
        return nodes.get(0).threading();
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
    }
}
